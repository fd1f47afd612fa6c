// prom-client declares no types for the parts of its default metrics.
declare module 'prom-client/lib/metrics/*' {
  import type { DefaultMetricsCollectorConfiguration, Registry, RegistryContentType } from 'prom-client';

  const collect: (
    registry: Registry,
    config: DefaultMetricsCollectorConfiguration<RegistryContentType>,
  ) => void;
  export default collect;
}
