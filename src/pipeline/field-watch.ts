import { type ApiContract, pathOf, type SeenField, spelling } from '../catalog/api-contract.ts';
import { type Instant, later, parseDay } from '../catalog/day.ts';
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

/** What the answers of a run show of their fields. */
export type FieldWatch = ReturnType<typeof createFieldWatch>;

/**
 * Compares the answers of a run with the contract of their dataset. It keeps names of fields and never a value. Begins with
 * what earlier runs found odd.
 */
export function createFieldWatch(oddBefore: ReadonlyMap<string, Instant> = new Map()) {
  const unknown = new Set<string>();
  /** When the newest element with a readable value is from, by path, and the newest ones with an odd one, newest first. */
  const readable = new Map<string, Instant>();
  const odd = new Map<string, readonly Instant[]>();
  // No more than this is kept of days: hundreds of runs wait at once.
  const fields = new Map<string, SeenField>();
  let left = MAX_ELEMENTS;

  /** Looks at elements of an answer, from both ends, before anything changes them; always at the last, which may be the newest. */
  function compare(contract: ApiContract, elements: readonly unknown[]): void {
    const half = Math.ceil(left / 2);
    const last = elements.slice(half).slice(-Math.max(half, MIN_ODD));
    const looked = [...elements.slice(0, half), ...last].filter(isObject);
    left = Math.max(0, left - looked.length);
    for (const element of looked) look(contract, element);
  }

  function look(contract: ApiContract, element: Readonly<Record<string, unknown>>): void {
    const at = contract.whenOf(element);
    const day = typeof element['date'] === 'string' ? parseDay(element['date']) : undefined;
    /** Fields that the element lacks, or that an element of a list in it lacks. */
    const lacking = new Set<string>();
    /** Whether a number above zero shows activity. */
    let isActive = false;
    walk(contract, element);
    if (day === undefined || !isActive) return;
    for (const path of lacking) {
      const field = fieldOf(path);
      field.lacking ??= new Set();
      field.lacking.add(day);
    }

    function walk(
      { path, members = new Map(), unread }: ApiContract,
      object: Readonly<Record<string, unknown>>,
    ): void {
      for (const name of Object.keys(object)) {
        if (unknown.size >= MAX_NAMES) break;
        if (members.has(name) || unread.has(pathOf(path, name))) continue;
        unknown.add(pathOf(path, PLAIN_NAME.test(name) ? name : NO_PLAIN_NAME));
      }
      for (const [name, member] of members) {
        const value = object[name] ?? undefined;
        if (value === undefined) lacking.add(member.path);
        else read(member, value);
      }
    }

    function read(contract: ApiContract, value: NonNullable<unknown>): void {
      const { path, members, known, isBeyondDay } = contract;
      if (day !== undefined) {
        const field = fieldOf(path);
        field.last = later(day, field.last ?? day);
      }
      // What is empty, as on quiet days, says nothing about its form.
      if (typeof value === 'object' ? Object.keys(value).length === 0 : value === '') return;
      const isPlain = members === undefined && known === undefined;
      const parts = contract.partsOf(value).slice(0, OF_A_LIST).filter(isObject);
      const isReadable = parts.length > 0 || (isPlain && !isNewer(path, at)) || contract.isReadable(value);
      if (!isReadable) {
        const earlier = odd.get(path) ?? [oddBefore.get(path) ?? at].filter((one) => one !== at);
        odd.set(path, [at, ...earlier].sort((one, other) => other - one).slice(0, MIN_ODD));
      } else if (isNewer(path, at) && at < Number.POSITIVE_INFINITY) readable.set(path, at);
      if (members !== undefined) {
        for (const part of parts) walk(contract, part);
        return;
      }
      const words = isObject(value) ? Object.keys(value) : [value];
      const isNew = (word: unknown) => typeof word === 'string' && known?.has(spelling(word)) === false;
      if (isReadable && words.some(isNew)) unknown.add(`${path} (new value)`);
      const numbers = isObject(value) ? Object.values(value) : [value];
      isActive ||= !isBeyondDay && numbers.some((one) => typeof one !== 'object' && Number(one) > 0);
    }
  }

  /** Whether an instant is after that of every readable value. */
  function isNewer(path: string, at: Instant = -1): boolean {
    return at > (readable.get(path) ?? -1);
  }

  function fieldOf(path: string): SeenField {
    const field = fields.get(path) ?? {};
    fields.set(path, field);
    return field;
  }

  return {
    compare,
    /**
     * The fields that are not read, as paths: those that the contract does not know, those whose newest values are in an
     * unreadable form, and those with a value outside its known set.
     */
    unknown(): readonly string[] {
      const unreadable = [...odd].filter(([path, newest]) => isNewer(path, newest[MIN_ODD - 1]));
      return [...new Set([...unknown, ...unreadable.map(([path]) => path)])].sort();
    },
    /** When the newest odd value of a field is from, by path, if none was readable since. */
    odd(): ReadonlyMap<string, Instant> {
      const newest = [...odd].map(([path, [at = -1]]) => [path, at] as const);
      return new Map([...oddBefore, ...newest].filter(([path, at]) => isNewer(path, at)));
    },
    /** What was seen of the known fields of days, by path. Of a list without elements nothing is known. */
    seen: (): ReadonlyMap<string, SeenField> => fields,
  };
}
