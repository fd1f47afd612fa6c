import type { DatasetName } from '../../catalog/dataset.ts';
import type { ApiFields } from '../../catalog/platform.ts';

/** Where each stored member is read from, by dataset. */
export const API_FIELDS = {
  tokens: {
    path: '/organizations/{org}/settings/billing/ai_credit/usage',
    element: 'usageItems[].',
    members: {
      credits: 'grossQuantity',
      cost: 'grossAmount',
      billedCost: 'netAmount',
      byModel: 'model',
      'byModel.credits': 'grossQuantity',
      'byModel.cost': 'grossAmount',
    },
  },
} as const satisfies Readonly<Partial<Record<DatasetName, ApiFields>>>;
