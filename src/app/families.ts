import { aboutFamilies, collectors } from '../collectors/index.ts';

/** Every family that can be published, in page order, regardless of the configuration. */
export function publishedFamilies() {
  const ofCollectors = collectors.flatMap(({ name: collector, families }) =>
    families.map(({ name, help }) => ({ name, help, collector })),
  );
  return [...ofCollectors, ...aboutFamilies([]).map(({ name, help }) => ({ name, help }))];
}
