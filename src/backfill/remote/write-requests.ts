import protobuf from 'protobufjs/minimal.js';
import { compress } from 'snappyjs';
import type { Instant } from '../../catalog/day.ts';
import type { Sample } from '../../catalog/family.ts';
import { labelValue } from '../../catalog/label.ts';
import { labelsKey } from '../../pipeline/folding.ts';
import type { PageFamily } from '../../pipeline/past-days.ts';

// Field numbers and wire types of the messages of remote write 1.0: WriteRequest{timeseries 1},
// TimeSeries{labels 1, samples 2}, Label{name 1, value 2}, Sample{value 1, timestamp 2}.
const FIELD_1_MESSAGE = 0x0a;
const FIELD_2_MESSAGE = 0x12;
const FIELD_1_DOUBLE = 0x09;
const FIELD_2_VARINT = 0x10;

/** A `WriteRequest` of remote write 1.0, as a snappy block. */
export interface WriteRequest {
  readonly body: Uint8Array;
  /** The number of its samples. */
  readonly samples: number;
}

/** Gathers samples by series, and encodes them. */
interface WriteRequests {
  /** The number of samples gathered. */
  readonly samples: number;
  /** Returns what adds a family's samples one by one; the stamps of a series must be in order over all calls. */
  adderOf(org: string, family: PageFamily): (sample: Sample) => void;
  /**
   * Takes everything gathered, as requests of `enough` samples or a little more: a series is never divided, so that no two
   * requests have a series in common.
   */
  take(enough: number): readonly WriteRequest[];
}

interface Series {
  /** The names of all its labels, sorted as remote write requires. */
  readonly names: readonly string[];
  /** The labels that all series of its family have. */
  readonly common: Readonly<Record<string, string>>;
  readonly labels: Sample['labels'];
  /** The values, each with its instants. */
  readonly values: (readonly [value: number, stamps: readonly Instant[]])[];
}

/** Creates an empty collection; `labels` are added to all series but the recorded ones. */
export function createWriteRequests(labels: Readonly<Record<string, string>>): WriteRequests {
  const gathered = new Map<string, Series>();
  const writer = new protobuf.Writer();
  let samples = 0;

  /** Writes a `TimeSeries`, which is field 1 of a `WriteRequest`; returns the number of its samples. */
  function writeSeries({ names, common, labels: own, values }: Series): number {
    writer.uint32(FIELD_1_MESSAGE).fork();
    for (const name of names) {
      const value = labelValue(common[name] ?? own[name] ?? '');
      // An empty label is the same as no label.
      if (value === '') continue;
      writer.uint32(FIELD_1_MESSAGE).fork();
      writer.uint32(FIELD_1_MESSAGE).string(name).uint32(FIELD_2_MESSAGE).string(value).ldelim();
    }
    for (const [value, stamps] of values)
      for (const stamp of stamps) {
        writer.uint32(FIELD_2_MESSAGE).fork();
        writer.uint32(FIELD_1_DOUBLE).double(value).uint32(FIELD_2_VARINT).int64(stamp).ldelim();
      }
    writer.ldelim();
    return values.reduce((sum, [, stamps]) => sum + stamps.length, 0);
  }

  /** Compresses what was written, and begins anew in the same memory. */
  function finish(): Uint8Array {
    const body = compress(writer.finish(true));
    writer.reset();
    return body;
  }

  function* encode(enough: number): Generator<WriteRequest> {
    let written = 0;
    for (const series of gathered.values()) {
      written += writeSeries(series);
      if (written < enough) continue;
      yield { body: finish(), samples: written };
      written = 0;
    }
    if (written > 0) yield { body: finish(), samples: written };
  }

  return {
    get samples() {
      return samples;
    },
    adderOf(org, { family, recorded, stamps }) {
      const common = { ...(recorded ? {} : labels), org, __name__: family.name };
      const names = [...Object.keys(common), ...family.labels].sort();
      return (sample) => {
        const key = `${org} ${family.name} ${labelsKey(family, sample)}`;
        const known = gathered.get(key);
        if (known !== undefined) known.values.push([sample.value, stamps]);
        else gathered.set(key, { names, common, labels: sample.labels, values: [[sample.value, stamps]] });
        samples += stamps.length;
      };
    },
    take(enough) {
      const requests = [...encode(enough)];
      gathered.clear();
      samples = 0;
      return requests;
    },
  };
}
