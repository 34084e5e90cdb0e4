// An Express server that never sees what it need not know: `npm install express`, then `node express.mjs`.
import express from 'express';
import { RedactorPool } from 'lacuna-redact';
import { redactBody } from 'lacuna-redact/middleware';

const redactor = await RedactorPool.load();
const app = express();
app.use(express.json(), redactBody(redactor, { keep: ['CITY'] }));
app.post('/tickets', (request, response) => response.json(request.body));
app.listen(process.env.PORT ?? 3000, '127.0.0.1');
