import { availableParallelism } from 'node:os';
import type { Clock } from '../runtime/clock.ts';
import { createSlices } from '../runtime/slices.ts';
import { type DeflatedChunk, deflateAside, deflateShort } from './deflated-chunk.ts';
import type { Format } from './text.ts';

/** A chunk in each format; nearly always the same one. */
export type FormattedChunk = Readonly<Record<Format, DeflatedChunk>>;

/** A part of the page: a text, which is deflated together with its neighbours, or a chunk that was deflated alone. */
export interface Piece<Body = Buffer | DeflatedChunk | FormattedChunk> {
  /** Identifies the part across publications. */
  readonly key: string;
  readonly body: Body;
}

type Text = Piece<Buffer>;

/**
 * The blocks of a page. Short texts of many organizations are deflated in blocks of at least 64 KiB, because deflated
 * one by one they would take several times the bytes. A block with unchanged texts is not deflated again.
 */
interface Blocks {
  /** The chunks of these pieces, in order; calls must not overlap. */
  build(pieces: Iterable<Piece>): Promise<BuiltBlocks>;
}

export interface BuiltBlocks {
  readonly chunks: readonly FormattedChunk[];
  /** Length of the text that had to be deflated, in bytes. */
  readonly deflatedAnew: number;
}

/** Minimum length of a block in bytes, unless the page ends. */
const MIN = 64 * 1024;
/** Maximum length of a block of several texts in bytes. */
const MAX = 256 * 1024;
/** Up to this length another thread costs more than it saves. */
const SHORT = 16 * 1024;

interface Block {
  readonly texts: readonly Text[];
  readonly chunk: FormattedChunk;
}

interface OpenBlock {
  /** The block of the previous page that it continues. */
  former: Block | undefined;
  readonly texts: Text[];
  length: number;
}

/** Creates blocks that remember the previous page. */
export function createBlocks(clock: Pick<Clock, 'elapsed'>): Blocks {
  const slices = createSlices(clock);
  // Threads that deflate must leave the event loop a core: nobody waits for them, but everybody for it.
  const atOnce = Math.max(1, availableParallelism() - 1);
  /** The block of each text on the previous page, by its key. */
  let homes = new Map<string, Block>();

  return {
    async build(pieces) {
      const chunks: (FormattedChunk | Promise<FormattedChunk>)[] = [];
      const nextHomes = new Map<string, Block>();
      let open: OpenBlock | undefined;
      let deflatedAnew = 0;
      const atWork = new Set<Promise<unknown>>();

      async function close(): Promise<void> {
        if (open === undefined) return;
        const { former, texts, length } = open;
        open = undefined;
        if (former !== undefined && isSame(former.texts, texts)) {
          chunks.push(former.chunk);
          for (const { key } of texts) nextHomes.set(key, former);
          return;
        }
        deflatedAnew += length;
        const made = deflate(texts).then((chunk) => {
          const block = { texts, chunk };
          for (const { key } of texts) nextHomes.set(key, block);
          return chunk;
        });
        // A failure is handled where the chunks are awaited.
        const done = made.then(
          () => void atWork.delete(done),
          () => void atWork.delete(done),
        );
        atWork.add(done);
        chunks.push(made);
        if (atWork.size >= atOnce) await Promise.race(atWork);
      }

      for (const piece of pieces) {
        if (slices.over()) await slices.next();
        const { key, body } = piece;
        if (!Buffer.isBuffer(body)) {
          await close();
          chunks.push('bytes' in body ? { text: body, openmetrics: body } : body);
          continue;
        }
        const former = homes.get(key);
        if (open !== undefined && endsBefore(open, former, body.length)) await close();
        open ??= { former, texts: [], length: 0 };
        // Too short to end at its former boundary, so it continues as the next block.
        if (former !== undefined) open.former = former;
        // Thousands of pieces need no copies.
        open.texts.push(piece as Text);
        open.length += body.length;
      }
      await close();
      const built = await Promise.all(chunks);
      homes = nextHomes;
      return { chunks: built, deflatedAnew };
    },
  };
}

/**
 * Whether a block ends before a text of this length. Boundaries stay where they were as far as possible, so that a
 * growing text does not move all later ones.
 */
function endsBefore({ former, length }: OpenBlock, next: Block | undefined, nextLength: number): boolean {
  if (length + nextLength > MAX) return true;
  return next !== undefined && next !== former && length >= MIN;
}

/** Rendered texts are often unchanged, and comparing costs far less than deflating. */
function isSame(before: readonly Text[], now: readonly Text[]): boolean {
  return (
    before.length === now.length &&
    now.every(({ body }, index) => {
      const former = before[index]?.body;
      return former === body || former?.equals(body) === true;
    })
  );
}

async function deflate(texts: readonly Text[]): Promise<FormattedChunk> {
  const text = Buffer.concat(texts.map(({ body }) => body));
  const chunk = text.length <= SHORT ? deflateShort(text) : await deflateAside(text);
  return { text: chunk, openmetrics: chunk };
}
