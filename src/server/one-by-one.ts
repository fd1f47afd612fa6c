import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { createSerialQueue } from '../work/serial-queue.ts';

/** Ends the head of every request, and a body in chunks. */
const END = '\r\n\r\n';

const NOTHING = Buffer.alloc(0);

/** The number of bytes that a client may send before it has its answer: many times as many as a scraper's request has. */
const MAX_AHEAD = 16_384;

/** Called with each request; the returned function once that has been answered. */
type Begun = (request: IncomingMessage) => () => void;

/**
 * Has the requests of a connection parsed one by one: what follows a request waits as bytes for its answer, and closes the
 * connection if it is too much. Node.js alone makes requests of everything that it has read at once, which are thousands from a client
 * that does not wait. Those who do send ahead take turns, so that they delay nobody else.
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
