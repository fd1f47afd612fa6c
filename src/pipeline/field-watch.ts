import { type ApiContract, pathOf, type SeenField, spelling } from '../catalog/api-contract.ts';
import { type Day, type Instant, later } from '../catalog/day.ts';
import { isObject } from '../catalog/object.ts';

/** Names of unknown fields that are kept of a dataset: a hostile answer has as many as it likes. */
export const MAX_NAMES = 50;
/** Elements that are looked at, and of a list or record in one of them: changes of the API concern all. */
const MAX_ELEMENTS = 100;
const OF_A_LIST = 20;
/** A form is unreadable if the newest two values are; one alone may be odd. */
const MIN_ODD = 2;
/** Other names may be data: identifiers, addresses, keys. */
const PLAIN_NAME = /^(?!.*\d{6})[A-Za-z_][A-Za-z0-9_-]{0,47}$/;
const NO_PLAIN_NAME = '(not a plain name)';

/** An element of an answer while it is read. */
interface Element {
  /** When it is from. */
  readonly at: Instant;
  readonly day: Day | undefined;
  /** Fields that it lacks, or that an element of a list in it lacks. */
  readonly lacking: Set<string>;
  /** Whether a number above zero shows activity. */
  isActive: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Compares the answers of a run with the contract of their dataset. It keeps names of fields and never a value. */
export class FieldWatch {
  readonly #oddBefore: ReadonlyMap<string, Instant>;
  readonly #unknown = new Set<string>();
  /** When the newest element with a readable value is from, by path, and the newest ones with an odd one, newest first. */
  readonly #readable = new Map<string, Instant>();
  readonly #odd = new Map<string, readonly Instant[]>();
  // No more than this is kept of days: hundreds of runs wait at once.
  readonly #fields = new Map<string, SeenField>();
  #left = MAX_ELEMENTS;

  /** Begins with what earlier runs found odd. */
  constructor(oddBefore: ReadonlyMap<string, Instant> = new Map()) {
    this.#oddBefore = oddBefore;
  }

  /** Looks at elements of an answer, from both ends, before anything changes them; always at the last, which may be the newest. */
  compare(contract: ApiContract, elements: readonly unknown[]): void {
    const half = Math.ceil(this.#left / 2);
    const last = elements.slice(half).slice(-Math.max(half, MIN_ODD));
    const looked = [...elements.slice(0, half), ...last].filter(isObject);
    this.#left = Math.max(0, this.#left - looked.length);
    for (const element of looked) this.#look(contract, element);
  }

  /**
   * The fields that are not read, as paths: those that the contract does not know, those whose newest values are in an
   * unreadable form, and those with a value outside its known set.
   */
  unknown(): readonly string[] {
    const unreadable = [...this.#odd].filter(([path, newest]) => this.#isNewer(path, newest[MIN_ODD - 1]));
    return [...new Set([...this.#unknown, ...unreadable.map(([path]) => path)])].sort();
  }

  /** When the newest odd value of a field is from, by path, if none was readable since. */
  odd(): ReadonlyMap<string, Instant> {
    const newest = [...this.#odd].map(([path, [at = -1]]) => [path, at] as const);
    return new Map([...this.#oddBefore, ...newest].filter(([path, at]) => this.#isNewer(path, at)));
  }

  /** What was seen of the known fields of days, by path. Of a list without elements nothing is known. */
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
    // What is empty, as on quiet days, says nothing about its form.
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

  /** Whether an instant is after that of every readable value. */
  #isNewer(path: string, at: Instant = -1): boolean {
    return at > (this.#readable.get(path) ?? -1);
  }

  #fieldOf(path: string): SeenField {
    const field = this.#fields.get(path) ?? {};
    this.#fields.set(path, field);
    return field;
  }
}
