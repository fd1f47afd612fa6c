export { type FaultKind, faultKinds } from './faults/kinds.ts';
export { type Fault, type Faults, parseFaults } from './faults/parse.ts';
export { createSandbox } from './sandbox.ts';
export { plantedSecrets } from './secrets.ts';
export type { Role, Sandbox, SandboxOptions, SandboxOrg, Scenario, SeenRequest } from './types.ts';
