// Logs and other streams of lines, one line at a time.

import { InputError } from './errors.js';

/** UTF-16 units of a line; a stream without line ends must not fill the memory. */
const MAX_LINE_LENGTH = 1 << 20;

export function redactLines(redactor, options, { maxLineLength = MAX_LINE_LENGTH } = {}) {
  const decoder = new TextDecoder();
  let rest = '';

  const answer = async (line, controller) => {
    if (line.length > maxLineLength) {
      const message = `a line has more than ${maxLineLength} UTF-16 units (maxLineLength raises it)`;
      throw new InputError('line_too_long', message, { limit: maxLineLength, got: line.length });
    }
    // The line's end is no part of the text: \r stays where it is.
    const end = line.endsWith('\r\n') ? '\r\n' : line.endsWith('\n') ? '\n' : '';
    const { redactedText } = await redactor.redact(line.slice(0, line.length - end.length), options);
    controller.enqueue(encoder.encode(redactedText + end));
  };
  const take = async (text, controller) => {
    rest += text;
    for (let at; (at = rest.indexOf('\n')) >= 0; ) {
      const line = rest.slice(0, at + 1);
      rest = rest.slice(at + 1);
      await answer(line, controller);
    }
    if (rest.length > maxLineLength) await answer(rest, controller);
  };
  return new TransformStream({
    transform: (chunk, controller) =>
      take(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }), controller),
    flush: async (controller) => {
      await take(decoder.decode(), controller);
      if (rest) await answer(rest, controller);
    },
  });
}

const encoder = new TextEncoder();
