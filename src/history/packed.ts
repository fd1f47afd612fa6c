import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { isUnsettled } from '../catalog/dataset.ts';

/** A value as its JSON text; it is parsed only if it is read. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What is compressed together: enough that equal parts of neighbouring rows pay off, little enough to parse at once. */
const MOST_KEYS = 32;
const BLOCK_CHARS = 32 * 1024;
/** A longer text is kept parsed: it would block the event loop with every read. */
const LARGE_CHARS = 16 * 1024;
/** A value with a longer list is large without looking at the rest. */
const LONG_LIST = 500;
/** The name of `Reduced.rejected` in a row's JSON. Within a value, the second quote would be escaped. */
const REJECTED = '"rejected"';
/** So many keys are found faster without an index. */
const FEW_LOOKUPS = 8;
/** JSON texts contain no line break. */
const SEPARATOR = ',\n';

/** Some keys, and the values of those that have one. */
interface Block<Key> {
  readonly keys: readonly Key[];
  /** The positions of the keys with a value, as bits. */
  readonly filled: number;
  /** The positions of the keys whose rows may be unsettled, as bits. */
  readonly unsettled: number;
  /** The compressed texts of the values, a byte per character: strings need less memory than buffers. */
  readonly packed: string;
  /** The length of the texts. */
  readonly chars: number;
  /** A large value, alone in its block. */
  readonly large?: unknown;
}

/** A value to pack: its text, and the value itself if it is known already. */
interface Entry<Key> {
  readonly key: Key;
  readonly text: string | undefined;
  readonly value?: unknown;
}

/**
 * An immutable map whose values are held as compressed JSON, in a fraction of the memory of the parsed values. A key may be
 * without a value. What is read stays parsed as long as this object, so that one is made for each reader with `opened`.
 */
export class PackedMap<Key extends string> implements ReadonlyMap<Key, unknown> {
  readonly size: number;
  /** The length of all texts. */
  readonly chars: number;
  readonly #blocks: readonly Block<Key>[];
  /** The block of each value; undefined for a key without one. */
  #index: ReadonlyMap<Key, Block<Key> | undefined> | undefined;
  #lookups = 0;
  readonly #values = new Map<Key, unknown>();
  readonly #texts = new Map<Key, string | undefined>();

  private constructor(blocks: readonly Block<Key>[]) {
    this.#blocks = blocks;
    this.size = blocks.reduce((sum, { keys }) => sum + keys.length, 0);
    this.chars = blocks.reduce((sum, { chars }) => sum + chars, 0);
  }

  /** Packs values, which may be texts. */
  static of<Key extends string>(entries: Iterable<readonly [Key, unknown]>): PackedMap<Key> {
    return PackedMap.ofEntries([...entries].map(entryOf));
  }

  static ofEntries<Key extends string>(entries: readonly Entry<Key>[]): PackedMap<Key> {
    return new PackedMap([...blocksOf(entries)]);
  }

  /** Joins maps; of equal keys, the last one counts. */
  static joined<Key extends string>(maps: readonly PackedMap<Key>[]): PackedMap<Key> {
    const map = new PackedMap(maps.flatMap((one) => one.#blocks));
    return new Set(map.keys()).size === map.size ? map : PackedMap.of(new Map(map));
  }

  /** The same content for one more reader. */
  opened(): PackedMap<Key> {
    return new PackedMap(this.#blocks);
  }

  /** A map with some values replaced or added, and without some keys. */
  changed(changes: ReadonlyMap<Key, unknown>, gone: ReadonlySet<Key> = new Set()): PackedMap<Key> {
    if (changes.size === 0 && gone.size === 0) return this;
    const added = new Map(changes);
    for (const key of gone) added.delete(key);
    const blocks: Block<Key>[] = [];
    for (const block of this.#blocks) {
      for (const key of block.keys) added.delete(key);
      if (!block.keys.some((key) => changes.has(key) || gone.has(key))) blocks.push(block);
      else {
        const kept = entriesOf(block).filter(({ key }) => !gone.has(key));
        blocks.push(
          ...blocksOf(
            kept.map((entry) =>
              changes.has(entry.key) ? entryOf([entry.key, changes.get(entry.key)]) : entry,
            ),
          ),
        );
      }
    }
    if (added.size > 0) {
      const last = blocks.at(-1);
      const isRoom = last !== undefined && last.keys.length + added.size <= MOST_KEYS;
      if (isRoom) blocks.pop();
      blocks.push(...blocksOf([...(isRoom ? entriesOf(last) : []), ...[...added].map(entryOf)]));
    }
    return new PackedMap(blocks);
  }

  has(key: Key): boolean {
    return this.#indexed()?.has(key) ?? this.#find(key) !== undefined;
  }

  /** Whether a key has a value, without reading it. */
  isFilled(key: Key): boolean {
    return this.#filledBlockOf(key) !== undefined;
  }

  /** Whether the row of a key may be unsettled, without reading it. */
  mayBeUnsettled(key: Key): boolean {
    const block = this.#filledBlockOf(key);
    return block !== undefined && isSet(block.unsettled, block.keys.indexOf(key));
  }

  get(key: Key): unknown {
    const block = this.#filledBlockOf(key);
    if (block === undefined) return undefined;
    if (!this.#values.has(key)) this.#read(block);
    return this.#values.get(key);
  }

  /** The text of a value; undefined for a key without one. */
  textOf(key: Key): string | undefined {
    const block = this.#filledBlockOf(key);
    if (block === undefined || block.large !== undefined) return block && JSON.stringify(block.large);
    if (!this.#texts.has(key)) {
      for (const { key: one, text } of entriesOf(block)) this.#texts.set(one, text);
    }
    return this.#texts.get(key);
  }

  *keys(): MapIterator<Key> {
    for (const { keys } of this.#blocks) yield* keys;
  }

  /** The keys with a value, without reading any. */
  *filledKeys(): Generator<Key> {
    for (const block of this.#blocks) yield* filledIn(block);
  }

  *values(): MapIterator<unknown> {
    for (const key of this.keys()) yield this.get(key);
  }

  *entries(): MapIterator<[Key, unknown]> {
    for (const key of this.keys()) yield [key, this.get(key)];
  }

  [Symbol.iterator](): MapIterator<[Key, unknown]> {
    return this.entries();
  }

  forEach(each: (value: unknown, key: Key, map: ReadonlyMap<Key, unknown>) => void): void {
    for (const [key, value] of this) each(value, key, this);
  }

  /** The block of a key that has a value. */
  #filledBlockOf(key: Key): Block<Key> | undefined {
    const index = this.#indexed();
    if (index !== undefined) return index.get(key);
    const block = this.#find(key);
    return block !== undefined && isSet(block.filled, block.keys.indexOf(key)) ? block : undefined;
  }

  #find(key: Key): Block<Key> | undefined {
    return this.#blocks.find(({ keys }) => keys.includes(key));
  }

  /** The index of a reader that looks for many keys. */
  #indexed(): ReadonlyMap<Key, Block<Key> | undefined> | undefined {
    this.#lookups += 1;
    if (this.#lookups > FEW_LOOKUPS) this.#index ??= indexOf(this.#blocks);
    return this.#index;
  }

  #read(block: Block<Key>): void {
    const values = valuesOf(block);
    for (const [at, key] of filledIn(block).entries()) this.#values.set(key, values[at]);
  }
}

/** A map for one more reader. */
export function opened<Key extends string>(map: ReadonlyMap<Key, unknown>): ReadonlyMap<Key, unknown> {
  return map instanceof PackedMap ? map.opened() : map;
}

/** A map with its values packed; as it is if their texts are longer than `mostChars` together. */
export function packed<Key extends string>(
  map: ReadonlyMap<Key, unknown>,
  mostChars = Number.POSITIVE_INFINITY,
): ReadonlyMap<Key, unknown> {
  if (map instanceof PackedMap) return map.chars > mostChars ? new Map(map.opened()) : map;
  const entries: Entry<Key>[] = [];
  let left = mostChars;
  for (const [key, value] of map) {
    const entry = entryOf([key, value]);
    left -= charsOf(entry);
    if (left < 0) return map;
    entries.push(entry);
  }
  return PackedMap.ofEntries(entries);
}

/** Packs values one after the other, so that the texts of a whole store are never in memory. */
export interface Packer<Key extends string> {
  set(key: Key, value: JsonText | undefined): void;
  /** Packs what is pending if it is much: other packers' values come next, during which it would occupy memory. */
  pause(): void;
  done(): PackedMap<Key>;
}

export function createPacker<Key extends string>(): Packer<Key> {
  const packed: PackedMap<Key>[] = [];
  let pending: (readonly [Key, JsonText | undefined])[] = [];
  let chars = 0;

  function flush(): void {
    if (pending.length > 0) packed.push(PackedMap.of(pending));
    pending = [];
    chars = 0;
  }

  return {
    set(key, value) {
      const length = value?.text.length ?? 0;
      if (pending.length === MOST_KEYS || chars + length > BLOCK_CHARS) flush();
      pending.push([key, value]);
      chars += length;
    },
    pause() {
      if (pending.length >= MOST_KEYS / 2 || chars > BLOCK_CHARS / 2) flush();
    },
    done() {
      flush();
      return PackedMap.joined(packed);
    },
  };
}

/**
 * The values of `now` that differ from the known ones, or are new. Values of a map that is not packed all count as
 * different: they are large, and to compare them would block the event loop.
 */
export function differing<Key extends string>(
  known: ReadonlyMap<Key, unknown>,
  now: ReadonlyMap<Key, unknown>,
): ReadonlyMap<Key, unknown> {
  if (!(known instanceof PackedMap)) return now;
  const reader = known.opened();
  return new Map([...now].filter(([key, value]) => reader.textOf(key) !== entryOf([key, value]).text));
}

/** The JSON text of a value; undefined for a key without one. */
export function textOf<Key extends string>(map: ReadonlyMap<Key, unknown>, key: Key): string | undefined {
  return map instanceof PackedMap ? map.textOf(key) : JSON.stringify(map.get(key));
}

/** Whether a map has a value under a key. */
export function isFilled<Key extends string>(map: ReadonlyMap<Key, unknown>, key: Key): boolean {
  return map instanceof PackedMap ? map.isFilled(key) : map.get(key) !== undefined;
}

/** Whether a map has a row under a key that is unsettled; only rows in doubt are read. */
export function isUnsettledIn<Key extends string>(map: ReadonlyMap<Key, unknown>, key: Key): boolean {
  return (!(map instanceof PackedMap) || map.mayBeUnsettled(key)) && isUnsettled(map.get(key));
}

/** The keys of a map with a value. */
export function* filledKeys<Key extends string>(map: ReadonlyMap<Key, unknown>): Generator<Key> {
  if (map instanceof PackedMap) yield* map.filledKeys();
  else for (const [key, value] of map) if (value !== undefined) yield key;
}

/** A map with some values replaced or added, and without some keys. */
export function changed<Key extends string>(
  map: ReadonlyMap<Key, unknown>,
  changes: ReadonlyMap<Key, unknown>,
  gone: Iterable<Key> = [],
): ReadonlyMap<Key, unknown> {
  const without = new Set(gone);
  if (map instanceof PackedMap) return map.changed(changes, without);
  if (changes.size === 0 && without.size === 0) return map;
  const now = new Map(map);
  for (const [key, value] of changes)
    now.set(key, value instanceof JsonText ? JSON.parse(value.text) : value);
  for (const key of without) now.delete(key);
  return now;
}

function indexOf<Key>(blocks: readonly Block<Key>[]): ReadonlyMap<Key, Block<Key> | undefined> {
  const index = new Map<Key, Block<Key> | undefined>();
  for (const block of blocks) {
    for (const [at, key] of block.keys.entries()) index.set(key, isSet(block.filled, at) ? block : undefined);
  }
  return index;
}

/** The positions of some elements, as bits. */
function bitsOf<Element>(elements: readonly Element[], isOne: (element: Element) => boolean): number {
  return elements.reduce((bits, element, at) => (isOne(element) ? bits | (1 << at) : bits), 0);
}

function filledIn<Key>({ keys, filled }: Block<Key>): readonly Key[] {
  return keys.filter((_, at) => isSet(filled, at));
}

function isSet(bits: number, at: number): boolean {
  return ((bits >>> at) & 1) === 1;
}

function entryOf<Key>([key, value]: readonly [Key, unknown]): Entry<Key> {
  if (value === undefined) return { key, text: undefined };
  if (value instanceof JsonText) return { key, text: value.text };
  return isLong(value) ? { key, text: '', value } : { key, text: JSON.stringify(value), value };
}

/** Whether the text of a value would be made in vain, and take long to make. */
function isLong(value: unknown): boolean {
  return Object.values(value ?? {}).some((member) => Array.isArray(member) && member.length > LONG_LIST);
}

function isLarge(entry: Entry<unknown>): boolean {
  return charsOf(entry) > LARGE_CHARS;
}

/** The length of the text; of a value without one, at least as long. */
function charsOf({ text = '', value }: Entry<unknown>): number {
  return text === '' && value !== undefined ? LARGE_CHARS + 1 : text.length;
}

/** Groups entries, in their order. */
function* blocksOf<Key>(entries: readonly Entry<Key>[]): Generator<Block<Key>> {
  let group: Entry<Key>[] = [];
  let chars = 0;
  for (const entry of entries) {
    const { key, text = '', value } = entry;
    const isAlone = isLarge(entry);
    if (group.length > 0 && (isAlone || group.length === MOST_KEYS || chars + text.length > BLOCK_CHARS)) {
      yield blockOf(group);
      group = [];
      chars = 0;
    }
    if (isAlone)
      yield {
        keys: [key],
        filled: 1,
        unsettled: 1,
        packed: '',
        chars: charsOf(entry),
        large: value ?? JSON.parse(text),
      };
    else {
      group.push(entry);
      chars += text.length;
    }
  }
  if (group.length > 0) yield blockOf(group);
}

function blockOf<Key>(entries: readonly Entry<Key>[]): Block<Key> {
  const texts = entries.flatMap(({ text }) => (text === undefined ? [] : [text]));
  const filled = bitsOf(entries, ({ text }) => text !== undefined);
  const text = texts.join(SEPARATOR);
  // Seldom more than this one search.
  const unsettled = text.includes(REJECTED)
    ? bitsOf(entries, (entry) => entry.text?.includes(REJECTED) === true)
    : 0;
  const packed = text === '' ? '' : pack(text);
  return { keys: entries.map(({ key }) => key), filled, unsettled, packed, chars: text.length };
}

function textsOf({ packed }: Block<unknown>): string {
  return packed === '' ? '' : unpack(packed);
}

/** Zstandard takes half of the time of deflate's fastest level, and a sixth less memory. */
const COMPRESSION = { [constants.ZSTD_c_compressionLevel]: 1 };

/** Rows become an eighth of their length. */
function pack(text: string): string {
  return zstdCompressSync(text, { params: COMPRESSION }).toString('latin1');
}

function unpack(packed: string): string {
  return zstdDecompressSync(Buffer.from(packed, 'latin1')).toString();
}

function valuesOf(block: Block<unknown>): readonly unknown[] {
  return block.large === undefined ? JSON.parse(`[${textsOf(block)}]`) : [block.large];
}

function entriesOf<Key>(block: Block<Key>): readonly Entry<Key>[] {
  const { keys, filled, large } = block;
  if (large !== undefined) return keys.map((key) => ({ key, text: '', value: large }));
  const texts = filled === 0 ? [] : textsOf(block).split(SEPARATOR);
  let next = 0;
  return keys.map((key, at) => ({ key, text: isSet(filled, at) ? texts[next++] : undefined }));
}
