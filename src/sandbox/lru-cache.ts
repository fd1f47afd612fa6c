/** Creates a cache of the most recently used values, at most `capacity`. */
export function createRecent<V>(capacity: number) {
  const values = new Map<string, { readonly value: V }>();
  return {
    get(key: string, make: () => V): V {
      const found = values.get(key) ?? { value: make() };
      values.delete(key);
      values.set(key, found);
      const [oldest] = values.keys();
      if (values.size > capacity && oldest !== undefined) values.delete(oldest);
      return found.value;
    },
  };
}
