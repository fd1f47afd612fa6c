/** The look of shares that should be 100 %: anything less is highlighted, and so is an absent one. */
export const WHOLE = {
  unit: 'percentunit',
  decimals: 0,
  steps: { warn: 0.999, alarm: 0.5, absence: 'alarm' },
} as const;
