import type { Sample } from '../../catalog/family.ts';
import { labelValue, MAX_LABEL_CHARACTERS } from '../../catalog/label.ts';
import { FIELD_1_MESSAGE, FIELD_2_MESSAGE, HEADER } from './fields.ts';
import type { PlannedLabel, SeriesPlan } from './series-plan.ts';
import { varintLength, writeVarint } from './varint.ts';

const ROOM = 256 * 1024;
/** Maximum bytes of a label value: a character has at most four. */
const MAX_VALUE_BYTES = 4 * MAX_LABEL_CHARACTERS;

/** Encodes the labels of series. */
interface LabelEncoder {
  /** The labels as fields of a series; what has been encoded stays where it is. */
  encode(plan: SeriesPlan, labels: Sample['labels']): Buffer;
  /** Continues in another buffer, so that the present one can be released. */
  renew(): void;
}

/** Creates an encoder that writes the labels of all series in place: an intermediate buffer for each costs more. */
export function createLabelEncoder(): LabelEncoder {
  let buffer = Buffer.allocUnsafe(ROOM);
  let end = 0;

  function ensure(room: number): void {
    if (end + room <= buffer.length) return;
    buffer = Buffer.allocUnsafe(Math.max(ROOM, room));
    end = 0;
  }

  /** Writes what precedes a value of so many bytes; returns the position after it. */
  function putName(name: Buffer, length: number): number {
    let at = end;
    buffer[at++] = FIELD_1_MESSAGE;
    at = writeVarint(buffer, at, name.length + 1 + varintLength(length) + length);
    for (let index = 0; index < name.length; index++) buffer[at++] = name[index] ?? 0;
    buffer[at++] = FIELD_2_MESSAGE;
    return writeVarint(buffer, at, length);
  }

  /** Writes a label whose value `labelValue` leaves as it is for being short printable ASCII; false if it is not. */
  function putPlain(name: Buffer, value: string): boolean {
    const { length } = value;
    if (length > MAX_LABEL_CHARACTERS) return false;
    let at = putName(name, length);
    for (let index = 0; index < length; index++) {
      const code = value.charCodeAt(index);
      if (code < 0x20 || code > 0x7e) return false;
      buffer[at++] = code;
    }
    end = at;
    return true;
  }

  function putAny(name: Buffer, value: string): void {
    const at = putName(name, Buffer.byteLength(value));
    end = at + buffer.write(value, at);
  }

  return {
    encode({ sorted }, labels) {
      let room = 0;
      for (const planned of sorted) room += largest(planned);
      ensure(room);
      const start = end;
      for (const planned of sorted) {
        if ('fixed' in planned) {
          buffer.set(planned.fixed, end);
          end += planned.fixed.length;
          continue;
        }
        const value = labels[planned.label] ?? '';
        if (value !== '' && !putPlain(planned.name, value)) putAny(planned.name, labelValue(value));
      }
      return buffer.subarray(start, end);
    },
    renew() {
      end = buffer.length;
    },
  };
}

/** The most bytes of an encoded label. */
function largest(planned: PlannedLabel): number {
  return 'fixed' in planned ? planned.fixed.length : planned.name.length + MAX_VALUE_BYTES + 2 * HEADER;
}
