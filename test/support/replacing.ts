/** An object with some members replaced, for its users only: it calls its own members as before. */
export function replacing<Original extends object>(original: Original, members: Partial<Original>): Original {
  return new Proxy(original, {
    get(_, name) {
      const owner = name in members ? members : original;
      const value: unknown = Reflect.get(owner, name);
      return typeof value === 'function' ? value.bind(owner) : value;
    },
  });
}
