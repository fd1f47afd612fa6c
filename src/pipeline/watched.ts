import type { FieldWatch } from '../catalog/api-contract.ts';
import type { Source } from '../catalog/source.ts';

/** A source whose answers are compared with their contract; `watch` is undefined until the first one. */
export function watched(source: Source): { readonly source: Source; watch: FieldWatch | undefined } {
  const compared: ReturnType<typeof watched> = {
    watch: undefined,
    source: {
      ...source,
      compare(contract, elements) {
        compared.watch ??= contract.watch();
        compared.watch.lookAt(elements);
      },
    },
  };
  return compared;
}
