// Logs and other streams of lines, one line at a time.

import { checkCount, checkObject, kind, refuse } from './check.js';
import { InputError } from './errors.js';

/** UTF-16 units of a line; a stream without line ends must not fill the memory. */
const MAX_LINE_LENGTH = 1 << 20;

export function redactLines(redactor, options, limits = {}) {
  if (typeof redactor?.redact !== 'function') throw refuse('redactor', 'a Redactor or a RedactorPool', redactor);
  checkObject(limits, 'limits', ['maxLineLength']);
  checkCount(limits.maxLineLength, 'maxLineLength');
  const { maxLineLength = MAX_LINE_LENGTH } = limits;
  // A mark at the start is a character like others, and comes out as it came in.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** The pieces of a line whose end has not come. */
  let open = [];
  let length = 0;

  const keep = (piece) => {
    if (piece === '') return;
    length += piece.length;
    if (length > maxLineLength) {
      const message = `a line has more than ${maxLineLength} UTF-16 units (maxLineLength raises it)`;
      throw new InputError('line_too_long', message, { field: 'maxLineLength', limit: maxLineLength, got: length });
    }
    open.push(piece);
  };
  const close = async (controller) => {
    const line = open.join('');
    open = [];
    length = 0;
    // The line's end is no part of the text: \r stays where it is.
    const end = line.endsWith('\r\n') ? '\r\n' : line.endsWith('\n') ? '\n' : '';
    const { redactedText } = await redactor.redact(line.slice(0, line.length - end.length), options);
    controller.enqueue(encoder.encode(redactedText + end));
  };
  const take = async (text, controller) => {
    let done = 0;
    for (let at; (at = text.indexOf('\n', done)) >= 0; done = at + 1) {
      keep(text.slice(done, at + 1));
      await close(controller);
    }
    keep(text.slice(done));
  };
  return new TransformStream({
    transform(chunk, controller) {
      // A string between bytes ends what character they had begun.
      if (typeof chunk === 'string') return take(decoder.decode() + chunk, controller);
      if (chunk instanceof ArrayBuffer || ArrayBuffer.isView(chunk)) return take(decoder.decode(chunk, { stream: true }), controller);
      throw new InputError('invalid_text', `a chunk must be bytes or a string, is ${kind(chunk)}`, { field: 'chunk', got: kind(chunk) });
    },
    async flush(controller) {
      await take(decoder.decode(), controller);
      if (length > 0) await close(controller);
    },
  });
}

const encoder = new TextEncoder();
