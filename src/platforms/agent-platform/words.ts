/** The known tiers of models, and modes of autonomy: the platform's own words of several years. */
export const TIERS = ['standard', 'thinking'];
export const MODES = [
  'auto-high',
  'auto-medium',
  'auto-low',
  'spec',
  'manual',
  'auto',
  'off',
  'low',
  'medium',
  'high',
];
