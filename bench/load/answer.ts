const BLANK_LINE = '\r\n\r\n';
/** The end of an answer in chunks. A compressed body contains it by chance once in 2⁵⁶ bytes. */
const LAST_CHUNK = '\r\n0\r\n\r\n';
/** More than the header of any answer. */
const HEAD_BYTES = 4096;

/** Reads one answer after the other from what a connection receives; the bodies are discarded. */
interface AnswerReader {
  /**
   * Whether a received chunk ends an answer. Throws an error on a status other than 200, or if the answer does not say
   * where it ends.
   */
  endsWith(chunk: Buffer): boolean;
}

export function createAnswerReader(): AnswerReader {
  let head = '';
  // Undefined while the header is being read, infinite if the answer is sent in chunks.
  let missing: number | undefined;
  let lastSeen = '';

  function readHead(chunk: Buffer): void {
    const before = head.length;
    // Without the body behind it, which may be long.
    head += chunk.subarray(0, HEAD_BYTES).toString('latin1');
    const end = head.indexOf(BLANK_LINE);
    if (end < 0) return;
    const announced = /^content-length: *(\d+)/im.exec(head.slice(0, end))?.[1];
    const inChunks = /^transfer-encoding: *chunked/im.test(head.slice(0, end));
    if (!head.startsWith('HTTP/1.1 200 ') || (announced === undefined && !inChunks))
      throw new Error(`not an answer to a scrape: ${head.slice(0, end)}`);
    const received = before + chunk.length - end - BLANK_LINE.length;
    head = '';
    if (announced === undefined) {
      missing = Number.POSITIVE_INFINITY;
      readChunks(chunk.subarray(chunk.length - received));
      return;
    }
    missing = Number(announced) - received;
  }

  function readChunks(chunk: Buffer): void {
    lastSeen = (lastSeen + chunk.subarray(-LAST_CHUNK.length).toString('latin1')).slice(-LAST_CHUNK.length);
    if (lastSeen !== LAST_CHUNK) return;
    lastSeen = '';
    missing = 0;
  }

  return {
    endsWith(chunk) {
      if (missing === undefined) readHead(chunk);
      else if (missing === Number.POSITIVE_INFINITY) readChunks(chunk);
      else missing -= chunk.length;
      if (missing !== 0) return false;
      missing = undefined;
      return true;
    },
  };
}
