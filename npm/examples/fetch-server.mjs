// A server of the Fetch kind whose handler sees placeholders only: `deno serve --allow-read fetch-server.mjs`.
import { RedactorPool } from 'lacuna-redact';
import { redactRequest } from 'lacuna-redact/middleware';

const redactor = await RedactorPool.load();

export default {
  async fetch(incoming) {
    const { request } = await redactRequest(redactor, incoming, { keep: ['CITY'] });
    return new Response(await request.text(), { headers: { 'content-type': 'application/json' } });
  },
};
