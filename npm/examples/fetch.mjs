// A language model behind an HTTP interface sees placeholders; the program sees the values again.
import { Redactor } from 'lacuna-redact';
import { redactingFetch } from 'lacuna-redact/middleware';

const fetch = redactingFetch(await Redactor.load());
const response = await fetch(process.env.MODEL_URL ?? 'http://127.0.0.1:8080/v1/chat/completions', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ messages: [{ role: 'user', content: 'Write to Ana Lima, ana@example.org' }] }),
});
console.log(await response.json());
