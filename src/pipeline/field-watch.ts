import { type ApiContract, pathOf, type SeenField, spelling } from '../catalog/api-contract.ts';
import { DAY_MS, type Day, type Instant, later } from '../catalog/day.ts';
import { isObject } from '../catalog/object.ts';
import type { Watched, Watcher } from './run.ts';

/** The maximum number of unknown field names that are kept per dataset: a hostile answer may send any number. */
const MAX_NAMES = 50;
/** The maximum number of elements to check in a run, and in a list within an element: a change of the API affects all alike. */
const MAX_ELEMENTS = 100;
const OF_A_LIST = 20;
/** How long an unreadable field is reported after the last answer that had it, in milliseconds. */
const REMEMBERED_MS = 7 * DAY_MS;
/** A field counts as unreadable if its newest two values are unreadable; a single one may be an exception. */
const MIN_ODD = 2;
/** The field names that may be shown. Any other name may be data, such as an identifier, an address or a key. */
const PLAIN_NAME = /^(?!.*\d{6})[A-Za-z_][A-Za-z0-9_-]{0,47}$/;
const NO_PLAIN_NAME = '(not a plain name)';

/** Counts fields that the exporter cannot read, and known fields that rows no longer have. Logs those that are new in a run. */
export function watchFields({ org: { name: org }, collector: { name, dataset }, deps }: Watched): Watcher {
  const { clock, log, runs, instruments } = deps;
  const who = { org, dataset: dataset.name };
  const before = runs.get(org, name);
  const watch = new FieldWatch(before.oddFields);
  return {
    compare: (contract, elements) => watch.compare(contract, elements),
    toStore: () => ({ seen: watch.seen() }),
    stored(_fetched, { missingFields }) {
      if (missingFields !== undefined) runs.update(org, name, { missingFields });
    },
    ended() {
      const now = clock.now();
      const unknownFields = new Map([...before.unknownFields].filter(([, at]) => now - at <= REMEMBERED_MS));
      for (const field of watch.unknown())
        if (unknownFields.has(field) || unknownFields.size < MAX_NAMES) unknownFields.set(field, now);
      runs.update(org, name, { unknownFields, oddFields: watch.odd() });
      const { missingFields } = runs.get(org, name);
      instruments.fields(who, unknownFields.size, missingFields.length);
      for (const field of unknownFields.keys())
        if (!before.unknownFields.has(field))
          log.info('The platform sends a field that is not read', { ...who, field });
      for (const field of missingFields)
        if (!before.missingFields.includes(field))
          log.info('The platform no longer sends a field', { ...who, field });
    },
  };
}

/** An element of an answer while it is read. */
interface Element {
  /** The instant that the element describes. */
  readonly at: Instant;
  readonly day: Day | undefined;
  /** The fields that the element lacks, or that an element of one of its lists lacks. */
  readonly lacking: Set<string>;
  /** Whether a number above zero shows activity. */
  isActive: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Compares the answers of a run with the API contract of their dataset. Keeps field names, and never a value. */
export class FieldWatch {
  readonly #oddBefore: ReadonlyMap<string, Instant>;
  readonly #unknown = new Set<string>();
  /** By path of a field: the instant of its newest readable value, and the instants of its newest unreadable ones, newest first. */
  readonly #readable = new Map<string, Instant>();
  readonly #odd = new Map<string, readonly Instant[]>();
  // Only this much is kept per field: hundreds of runs may wait at once.
  readonly #fields = new Map<string, SeenField>();
  #left = MAX_ELEMENTS;

  /** `oddBefore`: the unreadable fields of earlier runs, as `odd` returned them. */
  constructor(oddBefore: ReadonlyMap<string, Instant> = new Map()) {
    this.#oddBefore = oddBefore;
  }

  /** Checks elements from both ends of an answer, before anything changes them; always the last ones, which may be the newest. */
  compare(contract: ApiContract, elements: readonly unknown[]): void {
    const half = Math.ceil(this.#left / 2);
    const last = elements.slice(half).slice(-Math.max(half, MIN_ODD));
    const looked = [...elements.slice(0, half), ...last].filter(isObject);
    this.#left = Math.max(0, this.#left - looked.length);
    for (const element of looked) this.#look(contract, element);
  }

  /**
   * The paths of the fields that the exporter cannot read: fields that the contract does not know, fields whose newest values are
   * unreadable, and fields with a value outside of their known set.
   */
  unknown(): readonly string[] {
    const unreadable = [...this.#odd].filter(([path, newest]) => this.#isNewer(path, newest[MIN_ODD - 1]));
    return [...new Set([...this.#unknown, ...unreadable.map(([path]) => path)])].sort();
  }

  /** By path, the instant of the newest unreadable value of a field that has had no readable value since. */
  odd(): ReadonlyMap<string, Instant> {
    const newest = [...this.#odd].map(([path, [at = -1]]) => [path, at] as const);
    return new Map([...this.#oddBefore, ...newest].filter(([path, at]) => this.#isNewer(path, at)));
  }

  /** On which days each known field was seen or missing, by path. A list without elements says nothing about the fields in it. */
  seen(): ReadonlyMap<string, SeenField> {
    return this.#fields;
  }

  #look(contract: ApiContract, object: Fields): void {
    const day = contract.dayOf(object);
    const element: Element = { at: contract.whenOf(object), day, lacking: new Set(), isActive: false };
    this.#walk(contract, object, element);
    if (day === undefined || !element.isActive) return;
    for (const path of element.lacking) {
      const field = this.#fieldOf(path);
      field.lacking ??= new Set();
      field.lacking.add(day);
    }
  }

  #walk({ path, members = new Map(), unread }: ApiContract, object: Fields, element: Element): void {
    for (const name of Object.keys(object)) {
      if (this.#unknown.size >= MAX_NAMES) break;
      if (members.has(name) || unread.has(pathOf(path, name))) continue;
      this.#unknown.add(pathOf(path, PLAIN_NAME.test(name) ? name : NO_PLAIN_NAME));
    }
    for (const [name, member] of members) {
      const value = object[name] ?? undefined;
      if (value === undefined && !member.isOptional) element.lacking.add(member.path);
      else if (value !== undefined) this.#read(member, value, element);
    }
  }

  #read(contract: ApiContract, value: NonNullable<unknown>, element: Element): void {
    const { path, members, known, isBeyondDay } = contract;
    const { at, day } = element;
    if (day !== undefined) {
      const field = this.#fieldOf(path);
      field.last = later(day, field.last ?? day);
    }
    // An empty value, as on a day without activity, does not show whether the field is readable.
    if (typeof value === 'object' ? Object.keys(value).length === 0 : value === '') return;
    const isPlain = members === undefined && known === undefined;
    const parts = contract.partsOf(value).slice(0, OF_A_LIST).filter(isObject);
    const isReadable =
      parts.length > 0 || (isPlain && !this.#isNewer(path, at)) || contract.isReadable(value);
    if (!isReadable) this.#noteOdd(path, at);
    else if (this.#isNewer(path, at) && at < Number.POSITIVE_INFINITY) this.#readable.set(path, at);
    if (members !== undefined) {
      for (const part of parts) this.#walk(contract, part, element);
      return;
    }
    const words = isObject(value) ? Object.keys(value) : [value];
    const isNew = (word: unknown) => typeof word === 'string' && known?.has(spelling(word)) === false;
    if (isReadable && words.some(isNew)) this.#unknown.add(`${path} (new value)`);
    const numbers = isObject(value) ? Object.values(value) : [value];
    element.isActive ||= !isBeyondDay && numbers.some((one) => typeof one !== 'object' && Number(one) > 0);
  }

  #noteOdd(path: string, at: Instant): void {
    const earlier = this.#odd.get(path) ?? [this.#oddBefore.get(path) ?? at].filter((one) => one !== at);
    this.#odd.set(path, [at, ...earlier].sort((one, other) => other - one).slice(0, MIN_ODD));
  }

  /** Whether an instant is later than that of the newest readable value. */
  #isNewer(path: string, at: Instant = -1): boolean {
    return at > (this.#readable.get(path) ?? -1);
  }

  #fieldOf(path: string): SeenField {
    const field = this.#fields.get(path) ?? {};
    this.#fields.set(path, field);
    return field;
  }
}
