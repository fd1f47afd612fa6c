import type { QueryVariableBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { dailyCreditsByModel } from '../../../src/collectors/tokens/collector.ts';
import { links } from '../links.ts';
import { drillTo } from '../panels/drill.ts';
import { labelVariable } from '../variables.ts';

/** The selected models. */
export const MODEL = { model: '$model' } as const;

/** Selects a model. */
export const modelLink = drillTo(links.credits, 'model');

/** The variable that selects models. */
export function modelVariable(): QueryVariableBuilder {
  const metric = `${dailyCreditsByModel.name}{job=~"$job",org=~"$org"}`;
  return labelVariable('model', 'Model', { metric }).description(
    'Models; the panels by model show the selected ones',
  );
}
