// Discards what it receives, and answers each request alike.
import { createServer } from 'node:http';
import { listenForParent, serverOptions } from './serve.ts';

const { status, body } = serverOptions<{ readonly status: number; readonly body: string }>();

listenForParent(
  createServer((request, response) => {
    request.on('end', () => response.writeHead(status).end(body)).resume();
  }),
);
