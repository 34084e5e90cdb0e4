// node server.mjs | node log-stream.mjs > server.log
import { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Redactor, redactLines } from 'lacuna-redact';

await pipeline(process.stdin, Duplex.fromWeb(redactLines(await Redactor.load())), process.stdout);
