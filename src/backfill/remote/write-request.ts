import type { Instant } from '../../catalog/day.ts';
import type { Sample } from '../../catalog/family.ts';
import { gather, gatherAgain, gatherAll, nothingGathered, type Series } from './gathered.ts';
import { createLabelEncoder } from './label-encoder.ts';
import { encodeMessages, type UseMessage } from './messages.ts';
import { followedBy, type Points, pointsAt } from './points.ts';
import { createRoom } from './room.ts';
import type { SeriesPlan } from './series-plan.ts';

/** How many series are remembered with their encoded labels, in about 30 MiB; beyond that, all are forgotten. */
const MAX_REMEMBERED = 50_000;

/** Gathers samples by series, and encodes them into `WriteRequest`s that contain each series once. */
interface WriteRequestEncoder {
  /** Adds a sample of a family at some instants, which follow all former ones of its series. */
  add(family: SeriesPlan, sample: Sample, stamps: readonly Instant[]): void;
  /** Adds all samples of a family, one per series; an array that is added again has not changed. */
  addAll(family: SeriesPlan, samples: readonly Sample[], stamps: readonly Instant[]): void;
  readonly samples: number;
  /**
   * Clears the encoder. Passes everything on as messages of `enough` samples, or a little more, because a series is never
   * divided: no two messages have a series in common. Returns what was made of each.
   */
  take<Made>(enough: number, use: UseMessage<Made>): readonly Made[];
}

/** The series of a family by the value of its first label, of these by the value of the second, and so on. */
interface Branch {
  next: Map<string, Branch> | undefined;
  series: Series | undefined;
}

/** What is remembered of a family. */
interface Remembered {
  readonly series: Branch;
  /** The newest samples, if they came as an array: pages of the current state are often the same array for weeks. */
  newest: Page | undefined;
}

/** The samples of an array with their series. */
interface Page {
  readonly samples: readonly Sample[];
  readonly series: readonly Series[];
  /** The position of their points in the gathering with this number. */
  readonly points: number;
  readonly gathering: number;
}

/** Creates an empty encoder. The labels of a series are encoded once and remembered, because days repeat them. */
export function createWriteRequestEncoder(): WriteRequestEncoder {
  let families = new Map<SeriesPlan, Remembered>();
  const labelEncoder = createLabelEncoder();
  let remembered = 0;
  const gathered = nothingGathered();
  const room = createRoom();
  let samples = 0;
  // The instants of a page are the same for all its samples.
  let stampsOfPoints: readonly Instant[] | undefined;
  let points: Points = pointsAt([]);
  // The position of the points in what is gathered, if they are in it for single samples.
  let position: number | undefined;

  function familyOf(plan: SeriesPlan): Remembered {
    let family = families.get(plan);
    if (family === undefined) {
      family = { series: emptyBranch(), newest: undefined };
      families.set(plan, family);
    }
    return family;
  }

  function seriesOf(family: Remembered, plan: SeriesPlan, labels: Sample['labels']): Series {
    let branch = family.series;
    for (const label of plan.labels) {
      const value = labels[label] ?? '';
      branch.next ??= new Map();
      let next = branch.next.get(value);
      if (next === undefined) {
        next = emptyBranch();
        branch.next.set(value, next);
      }
      branch = next;
    }
    if (branch.series === undefined) {
      remembered++;
      branch.series = { labels: labelEncoder.encode(plan, labels), gathering: -1, first: 0, last: 0 };
    }
    return branch.series;
  }

  function forgetAll(): void {
    families = new Map();
    remembered = 0;
    labelEncoder.renew();
  }

  function setStamps(stamps: readonly Instant[]): void {
    if (stamps === stampsOfPoints) return;
    stampsOfPoints = stamps;
    points = pointsAt(stamps);
    position = undefined;
  }

  return {
    get samples() {
      return samples;
    },
    add(plan, { labels, value }, stamps) {
      setStamps(stamps);
      position ??= gathered.points.push(points) - 1;
      const family = familyOf(plan);
      family.newest = undefined;
      gather(gathered, seriesOf(family, plan, labels), value, position);
      samples += stamps.length;
    },
    addAll(plan, all, stamps) {
      setStamps(stamps);
      samples += all.length * stamps.length;
      const family = familyOf(plan);
      const same = family.newest?.samples === all ? family.newest : undefined;
      const before = same?.gathering === gathered.number ? gathered.points[same.points] : undefined;
      if (same !== undefined && before !== undefined) {
        gathered.points[same.points] = followedBy(before, points);
        return;
      }
      const series = same?.series ?? all.map(({ labels }) => seriesOf(family, plan, labels));
      const own = gathered.points.push(points) - 1;
      family.newest = { samples: all, series, points: own, gathering: gathered.number };
      gatherAll(gathered, series, all, own);
    },
    take(enough, use) {
      const made = encodeMessages(gathered, enough, room, use);
      gatherAgain(gathered);
      samples = 0;
      position = undefined;
      if (remembered > MAX_REMEMBERED) forgetAll();
      return made;
    },
  };
}

function emptyBranch(): Branch {
  return { next: undefined, series: undefined };
}
