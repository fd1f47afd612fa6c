import { FIELD_1_MESSAGE, HEADER } from './fields.ts';
import { type Gathered, sizesOf, writeSamples } from './gathered.ts';
import { COPIED_AT_ONCE } from './points.ts';
import type { Room } from './room.ts';
import { writeVarint } from './varint.ts';

/** What becomes of an encoded `WriteRequest`, whose bytes are overwritten afterwards. */
export type UseMessage<Made> = (message: Buffer, samples: number) => Made;

/** Encodes what is gathered as messages of `enough` samples or a little more, because a series is never divided. */
export function encodeMessages<Made>(
  gathered: Gathered,
  enough: number,
  room: Room,
  use: UseMessage<Made>,
): readonly Made[] {
  const { lengths, counts } = sizesOf(gathered);
  const made: Made[] = [];
  for (let from = 0; from < lengths.length; ) {
    let [to, samples] = [from, 0];
    for (; to < lengths.length && samples < enough; to++) samples += counts[to] ?? 0;
    made.push(use(encodeMessage(gathered, lengths, from, to, room), samples));
    from = to;
  }
  return made;
}

/** Encodes the series from one position up to another. */
function encodeMessage(
  gathered: Gathered,
  lengths: Int32Array,
  from: number,
  to: number,
  room: Room,
): Buffer {
  let bytes = COPIED_AT_ONCE;
  for (let index = from; index < to; index++) bytes += HEADER + (lengths[index] ?? 0);
  const message = room.of(bytes);
  const view = new DataView(message.buffer, message.byteOffset, message.length);
  let end = 0;
  for (let index = from; index < to; index++) {
    const series = gathered.series[index];
    if (series === undefined) continue;
    message[end++] = FIELD_1_MESSAGE;
    end = writeVarint(message, end, lengths[index] ?? 0);
    message.set(series.labels, end);
    end = writeSamples(gathered, series, message, view, end + series.labels.length);
  }
  return message.subarray(0, end);
}
