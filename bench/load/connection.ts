import { connect, type Socket } from 'node:net';
import { createAnswerReader } from './answer.ts';

/** The request of a scraper; the accepted formats are those of Prometheus. */
const REQUEST = Buffer.from(
  [
    'GET /metrics HTTP/1.1',
    'Host: 127.0.0.1',
    'User-Agent: measuring',
    'Accept: application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
    'Accept-Encoding: gzip',
    '',
    '',
  ].join('\r\n'),
);
const BUFFER_BYTES = 256 * 1024;

/** Called for each complete answer; returns whether another one is wanted. */
type OnAnswer = () => boolean;

/** A persistent connection to a server. */
export interface Connection {
  /** Sends one request after the other as long as `onAnswer` returns true; rejects if an answer is not complete. */
  scrapeRepeatedly(onAnswer: OnAnswer): Promise<void>;
  close(): void;
}

interface Scraping {
  readonly onAnswer: OnAnswer;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Connects to a server on loopback. */
export function openConnection(port: number): Promise<Connection> {
  return new Promise((opened, refused) => {
    const reader = createAnswerReader();
    let scraping: Scraping | undefined;

    // One buffer for everything received, because a client that allocates would measure itself.
    const onread = { buffer: Buffer.allocUnsafe(BUFFER_BYTES), callback: received };
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
    socket.once('connect', () => opened({ scrapeRepeatedly, close: () => socket.destroy() }));
    socket.once('error', fail).once('close', () => fail(new Error('the server closed the connection')));

    function scrapeRepeatedly(onAnswer: OnAnswer): Promise<void> {
      return new Promise((resolve, reject) => {
        scraping = { onAnswer, resolve, reject };
        if (socket.destroyed) fail(new Error('the server closed the connection before the load'));
        else send();
      });
    }

    function send(): void {
      socket.write(REQUEST);
    }

    function received(length: number, buffer: Uint8Array): boolean {
      try {
        if (reader.endsWith(bufferOf(buffer, length))) answered();
      } catch (error) {
        socket.destroy(error instanceof Error ? error : new Error(String(error)));
      }
      return true;
    }

    function answered(): void {
      if (scraping?.onAnswer()) send();
      else end()?.resolve();
    }

    function fail(error: Error): void {
      refused(error);
      end()?.reject(error);
    }

    /** The scraping that was in progress. */
    function end(): Scraping | undefined {
      const ended = scraping;
      scraping = undefined;
      return ended;
    }
  });
}

function bufferOf({ buffer, byteOffset }: Uint8Array, length: number): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
