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
      if (values.size > capacity) {
        for (const oldest of values.keys()) {
          values.delete(oldest);
          break;
        }
      }
      return found.value;
    },
  };
}
