import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { createSerialQueue } from '../work/serial-queue.ts';

/** Ends the head of every request, and a body in chunks. */
const END = '\r\n\r\n';

const NOTHING = Buffer.alloc(0);

/** The number of bytes that a client may send ahead of an answer: many times the size of a scraper's request. */
const MAX_AHEAD = 16_384;

/** Called with each request; the returned function once that has been answered. */
type Begun = (request: IncomingMessage) => () => void;

/**
 * Parses the pipelined requests of a connection one by one. Bytes after a request wait until that is answered; too many of them
 * close the connection. Node.js alone would parse all bytes that it has read at once, which can be thousands of requests from a
 * client that does not wait. Connections with pipelined requests take turns, so that they do not delay others.
 */
export function parseOneByOne(server: Server): Begun {
  const queue = createSerialQueue();
  const connections = new WeakMap<Socket, Begun>();

  function takeOver(socket: Socket): void {
    const [parse] = socket.listeners('data');
    // With TLS, only the inner socket has a parser.
    if (parse === undefined) return;
    const unanswered = new Set<IncomingMessage>();
    let ahead: Buffer = NOTHING;

    function parseNext(): void {
      while (ahead.length > 0 && socket.writable && ![...unanswered].some(({ complete }) => complete)) {
        const end = ahead.indexOf(END);
        const next = end === -1 ? ahead : ahead.subarray(0, end + END.length);
        // An idle connection holds no bytes.
        ahead = next.length === ahead.length ? NOTHING : ahead.subarray(next.length);
        parse?.call(socket, next);
      }
      if (ahead.length > MAX_AHEAD) socket.destroy();
    }

    socket.removeAllListeners('data').on('data', (bytes: Buffer) => {
      // Nothing follows the last answer.
      if (!socket.writable) return;
      ahead = ahead.length === 0 ? bytes : Buffer.concat([ahead, bytes]);
      parseNext();
    });
    connections.set(socket, (request) => {
      unanswered.add(request);
      return () => {
        if (ahead.length === 0) unanswered.delete(request);
        else {
          queue.run(async () => {
            await setImmediate();
            unanswered.delete(request);
            parseNext();
          });
        }
      };
    });
  }

  server.on('connection', takeOver).on('secureConnection', takeOver);
  return (request) => connections.get(request.socket)?.(request) ?? (() => undefined);
}
