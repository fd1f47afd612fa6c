// Accepts write requests and discards them.
import { createServer } from 'node:http';
import { answerQuestions, listenAndSay } from './process.ts';

answerQuestions();
listenAndSay(
  createServer((request, response) => {
    request.on('end', () => response.writeHead(204).end()).resume();
  }),
);
