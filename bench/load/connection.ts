import { connect, type Socket } from 'node:net';

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
const BLANK_LINE = '\r\n\r\n';
/** The end of an answer in chunks. A compressed body contains it by chance once in 2⁵⁶ bytes. */
const LAST_CHUNK = '\r\n0\r\n\r\n';
const BUFFER_BYTES = 256 * 1024;
/** More than the header of any answer. */
const HEAD_BYTES = 4096;

/** Receives the duration in milliseconds and the body size in bytes of each complete answer. */
type OnAnswer = (milliseconds: number, bytes: number) => boolean;

/**
 * Sends one request after the other over one persistent connection, as long as `onAnswer` returns true. The size of
 * the body is its declared length, or that of its chunks with their lengths; the body itself is discarded. Rejects on a
 * status other than 200.
 */
export function scrapeRepeatedly(port: number, onAnswer: OnAnswer): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = '';
    // Undefined while the header is being read, infinite if the answer is sent in chunks.
    let missing: number | undefined;
    let lastSeen = '';
    let bytes = 0;
    let sentAt = 0;

    // One buffer for everything received, because a client that allocates would measure itself.
    const onread = { buffer: Buffer.allocUnsafe(BUFFER_BYTES), callback: received };
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
    socket.once('connect', send).once('error', reject).once('close', closed);

    function send(): void {
      sentAt = performance.now();
      socket.write(REQUEST);
    }

    function received(length: number, buffer: Uint8Array): boolean {
      if (missing === undefined) readHead(bufferOf(buffer, length));
      else if (missing === Number.POSITIVE_INFINITY) readChunks(bufferOf(buffer, length));
      else missing -= length;
      if (missing === 0) answered();
      return true;
    }

    function readHead(chunk: Buffer): void {
      const before = head.length;
      // Without the body behind it, which may be long.
      head += chunk.subarray(0, HEAD_BYTES).toString('latin1');
      const end = head.indexOf(BLANK_LINE);
      if (end < 0) return;
      const announced = /^content-length: *(\d+)/im.exec(head.slice(0, end))?.[1];
      const inChunks = /^transfer-encoding: *chunked/im.test(head.slice(0, end));
      if (!head.startsWith('HTTP/1.1 200 ') || (announced === undefined && !inChunks)) {
        socket.destroy(new Error(`not an answer to a scrape: ${head.slice(0, end)}`));
        return;
      }
      const received = before + chunk.length - end - BLANK_LINE.length;
      head = '';
      if (announced === undefined) {
        missing = Number.POSITIVE_INFINITY;
        bytes = 0;
        readChunks(chunk.subarray(chunk.length - received));
        return;
      }
      bytes = Number(announced);
      missing = bytes - received;
    }

    function readChunks(chunk: Buffer): void {
      bytes += chunk.length;
      lastSeen = (lastSeen + chunk.subarray(-LAST_CHUNK.length).toString('latin1')).slice(-LAST_CHUNK.length);
      if (lastSeen !== LAST_CHUNK) return;
      lastSeen = '';
      missing = 0;
    }

    function answered(): void {
      missing = undefined;
      if (onAnswer(performance.now() - sentAt, bytes)) send();
      else socket.end();
    }

    function closed(): void {
      if (missing === undefined && head === '') resolve();
      else reject(new Error('the server closed the connection in the middle of an answer'));
    }
  });
}

function bufferOf({ buffer, byteOffset }: Uint8Array, length: number): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
