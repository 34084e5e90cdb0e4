// JSON with some of its strings and numbers replaced. What is text stays text: spacing, the order of members, numbers
// of more digits than JavaScript holds and members of the same name come out as they came in.

/** Whether a text is a JSON object or array. */
export const isJson = (text) => /^\s*[[{]/.test(text) && parses(text);

/** Whether a text is JSON objects or arrays, one a line. */
export const isJsonLines = (text) => /^\s*[[{]/.test(text) && text.split('\n').every((line) => line.trim() === '' || isJson(line));

/** Whether a text is JSON of any kind. */
export function parses(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The leaves of a text that is JSON: `{start, end, value, kind}`, where kind is `string`, `number` or `key`. */
export function* leaves(text) {
  for (let at = 0; at < text.length; ) {
    const start = at;
    const unit = text[at];
    if (unit === '"') {
      at = endOfString(text, at);
      const kind = /\s*:/y;
      kind.lastIndex = at;
      yield { start, end: at, value: JSON.parse(text.slice(start, at)), kind: kind.test(text) ? 'key' : 'string' };
    } else if (unit === '-' || (unit >= '0' && unit <= '9')) {
      while (at < text.length && '+-.eE0123456789'.includes(text[at])) at += 1;
      yield { start, end: at, value: text.slice(start, at), kind: 'number' };
    } else {
      at += 1;
    }
  }
}

/** The text with each leaf as `replace(value, kind)` has it, a string; what it returns unchanged stays as spelled. */
export async function replaced(text, replace) {
  const parts = [];
  let done = 0;
  for (const { start, end, value, kind } of leaves(text)) {
    const now = await replace(value, kind);
    if (now === value) continue;
    parts.push(text.slice(done, start), JSON.stringify(now));
    done = end;
  }
  parts.push(text.slice(done));
  return parts.join('');
}

function endOfString(text, start) {
  for (let at = start + 1; ; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
}
