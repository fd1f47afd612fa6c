import type { Sample } from '../../catalog/family.ts';
import { labelValue } from '../../catalog/label.ts';
import { FIELD_1_MESSAGE, FIELD_2_MESSAGE, HEADER } from './fields.ts';
import type { PlannedLabel, SeriesPlan } from './series-plan.ts';
import { varintLength, writeVarint } from './varint.ts';

const ROOM = 256 * 1024;

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

  function put(bytes: Buffer): void {
    buffer.set(bytes, end);
    end += bytes.length;
  }

  function putLabel(name: Buffer, value: string): void {
    const length = Buffer.byteLength(value);
    buffer[end++] = FIELD_1_MESSAGE;
    end = writeVarint(buffer, end, name.length + 1 + varintLength(length) + length);
    put(name);
    buffer[end++] = FIELD_2_MESSAGE;
    end = writeVarint(buffer, end, length);
    end += buffer.write(value, end);
  }

  return {
    encode({ sorted }, labels) {
      const values = sorted.map((planned) =>
        'fixed' in planned ? '' : labelValue(labels[planned.label] ?? ''),
      );
      ensure(sorted.reduce((sum, planned, index) => sum + largest(planned, values[index] ?? ''), 0));
      const start = end;
      for (const [index, planned] of sorted.entries()) {
        const value = values[index] ?? '';
        if ('fixed' in planned) put(planned.fixed);
        else if (value !== '') putLabel(planned.name, value);
      }
      return buffer.subarray(start, end);
    },
    renew() {
      end = buffer.length;
    },
  };
}

/** The most bytes of an encoded label: a UTF-16 unit takes at most three. */
function largest(planned: PlannedLabel, value: string): number {
  return 'fixed' in planned ? planned.fixed.length : planned.name.length + value.length * 3 + 2 * HEADER;
}
