import { type ApiContract, pathOf, type SeenField, spelling } from '../catalog/api-contract.ts';
import { later, parseDay } from '../catalog/day.ts';
import { isObject } from '../catalog/object.ts';

/** Names of unknown fields that are kept of a dataset: a hostile answer has as many as it likes. */
export const MAX_NAMES = 50;
/** Elements that are looked at, and of a list in one of them: changes of the API concern all. */
const MAX_ELEMENTS = 100;
const OF_A_LIST = 20;
/** A form is unreadable if no element had a readable one; one element alone may be odd. */
const MIN_ODD = 2;
/** Other names may be data: identifiers, addresses, keys. */
const PLAIN_NAME = /^(?!.*\d{6})[A-Za-z_][A-Za-z0-9_-]{0,47}$/;
const NO_PLAIN_NAME = '(not a plain name)';

/** Compares the answers of a run with the contract of their dataset. It keeps names of fields and never a value. */
export function createFieldWatch() {
  const unknown = new Set<string>();
  const readable = new Set<string>();
  const odd = new Map<string, number>();
  // No more than this is kept of days: hundreds of runs wait at once.
  const fields = new Map<string, SeenField>();
  let left = MAX_ELEMENTS;

  /** Looks at elements of an answer, from both ends, before anything changes them. */
  function compare(contract: ApiContract, elements: readonly unknown[]): void {
    const half = Math.ceil(left / 2);
    if (half <= 0) return;
    const looked = [...elements.slice(0, half), ...elements.slice(half).slice(-half)].filter(isObject);
    left -= looked.length;
    for (const element of looked) look(contract, element);
  }

  function look(contract: ApiContract, element: Readonly<Record<string, unknown>>): void {
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

    function read(contract: ApiContract, value: unknown): void {
      const { path, members, known, isBeyondDay } = contract;
      if (day !== undefined) {
        const field = fieldOf(path);
        field.last = later(day, field.last ?? day);
      }
      const isPlain = members === undefined && known === undefined;
      // Once one plain value is readable the form is.
      const isReadable = (isPlain && readable.has(path)) || contract.isReadable(value);
      if (isReadable) readable.add(path);
      else odd.set(path, (odd.get(path) ?? 0) + 1);
      if (members !== undefined) {
        const parts = isReadable ? [value].flat().slice(0, OF_A_LIST) : [];
        for (const part of parts.filter(isObject)) walk(contract, part);
        return;
      }
      const words = isObject(value) ? Object.keys(value) : [value];
      const isNew = (word: unknown) => typeof word === 'string' && known?.has(spelling(word)) === false;
      if (isReadable && words.some(isNew)) unknown.add(`${path} (new value)`);
      const numbers = isObject(value) ? Object.values(value) : [value];
      isActive ||= !isBeyondDay && numbers.some((one) => typeof one !== 'object' && Number(one) > 0);
    }
  }

  function fieldOf(path: string): SeenField {
    const field = fields.get(path) ?? {};
    fields.set(path, field);
    return field;
  }

  return {
    compare,
    /**
     * The fields that are not read, as paths: those that the contract does not know, those that no element had in a readable
     * form, and those with a value outside its known set.
     */
    unknown(): readonly string[] {
      const unreadable = [...odd].filter(([path, count]) => count >= MIN_ODD && !readable.has(path));
      return [...new Set([...unknown, ...unreadable.map(([path]) => path)])].sort();
    },
    /** What was seen of the known fields of days, by path. Of a list without elements nothing is known. */
    seen: (): ReadonlyMap<string, SeenField> => fields,
  };
}
