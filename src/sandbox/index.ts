export { faultKinds } from './faults.ts';
export { createSandbox } from './sandbox.ts';
export { plantedSecrets } from './secrets.ts';
export type { Role, Sandbox, SandboxOptions, SandboxOrg, Scenario } from './types.ts';
