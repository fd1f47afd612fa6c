// Accepts hook events as the exporter does, and stores nothing.
import { createServer } from 'node:http';
import { answerQuestions, listenAndSay } from './process.ts';

answerQuestions();
listenAndSay(
  createServer((request, response) => {
    request
      .on('end', () => response.writeHead(202).end('{"accepted":1,"duplicates":0,"rejected":0}'))
      .resume();
  }),
);
