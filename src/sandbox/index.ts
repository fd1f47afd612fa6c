export { type ClaudeSandbox, claudeFaultKinds, createClaudeSandbox } from './claude/sandbox.ts';
export { copilotFaultKinds } from './copilot/rights.ts';
export { type CopilotSandbox, createCopilotSandbox } from './copilot/sandbox.ts';
export { faultKinds } from './faults.ts';
export { createSandbox, type Sandbox } from './sandbox.ts';
export { plantedSecrets } from './secrets.ts';
export type { SandboxOptions, SandboxOrg, Scenario, Simulated } from './types.ts';
