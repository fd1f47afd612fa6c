/** Caches the most recently used values, at most `capacity`. */
interface Recent<V> {
  get(key: string, make: () => V): V;
}

/** Creates a cache that evicts the least recently used value. */
export function createRecent<V>(capacity: number): Recent<V> {
  const values = new Map<string, { readonly value: V }>();
  return {
    get(key, make) {
      const found = values.get(key) ?? { value: make() };
      values.delete(key);
      values.set(key, found);
      const [oldest] = values.keys();
      if (values.size > capacity && oldest !== undefined) values.delete(oldest);
      return found.value;
    },
  };
}
