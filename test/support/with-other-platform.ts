import { registerHooks } from 'node:module';

/** Loaded before the program, it gives it a list with one more platform. */
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (!found.url.endsWith('/src/platforms/list.ts')) return found;
    return { ...found, url: new URL('./other-list.ts', import.meta.url).href };
  },
});
