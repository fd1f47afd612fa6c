import { mix, textSeed } from '../random.ts';

/** Each criterion with the client release, counted from 0, that added it. */
const perApplication = {
  lint_config: 0,
  type_check: 0,
  formatter: 0,
  strict_typing: 0,
  dead_code_detection: 0,
  unit_tests_exist: 0,
  integration_tests_exist: 0,
  test_coverage_thresholds: 0,
  api_schema_docs: 0,
  structured_logging: 0,
  distributed_tracing: 0,
  metrics_collection: 0,
  code_complexity_limits: 0,
  duplicate_code_detection: 0,
  naming_conventions: 0,
  test_naming: 0,
  test_isolation: 0,
  flaky_test_detection: 0,
  test_performance_tracking: 0,
  health_checks: 0,
  error_tracking: 0,
  profiling: 0,
  product_analytics: 0,
  dead_feature_flags: 0,
  database_schema_docs: 0,
  circuit_breakers: 0,
  log_scrubbing: 20,
  privacy_compliance: 18,
  heavy_dependency_detection: 16,
  n_plus_one_detection: 14,
  unused_dependencies: 11,
  module_boundaries: 9,
  api_contract_tests: 7,
  accessibility_checks: 5,
  bundle_size_budget: 4,
};

const perRepository = {
  pre_commit_hooks: 0,
  build_cmd_doc: 0,
  deps_pinned: 0,
  automated_pr_review: 0,
  single_command_setup: 0,
  agents_md: 0,
  readme: 0,
  devcontainer: 0,
  env_template: 0,
  alerting_configured: 0,
  branch_protection: 0,
  secret_scanning: 0,
  codeowners: 0,
  dependency_update_automation: 0,
  issue_templates: 0,
  pr_templates: 0,
  ci_pipeline: 0,
  fast_ci_feedback: 0,
  build_performance_tracking: 0,
  deployment_frequency: 0,
  release_notes_automation: 0,
  release_automation: 0,
  runbooks: 0,
  service_architecture_docs: 0,
  agents_md_freshness: 0,
  automated_doc_generation: 0,
  skills_configured: 0,
  local_services: 0,
  devcontainer_runs: 0,
  vulnerability_scanning: 0,
  gitignore_comprehensive: 0,
  license: 0,
  issue_labels: 0,
  backlog_health: 0,
  feature_flags: 0,
  progressive_rollout: 0,
  rollback_automation: 0,
  monorepo_tooling: 19,
  version_drift_detection: 17,
  large_file_detection: 0,
  tech_debt_tracking: 15,
  cyclic_import_detection: 13,
  dast_scanning: 12,
  pii_handling: 10,
  security_review_automation: 8,
  contribution_guide: 6,
  changelog: 3,
  reproducible_builds: 2,
  mcp_configured: 1,
};

/** Criteria that a later client no longer evaluates, by its release. */
const retired: Readonly<Record<string, number>> = {
  test_naming: 9,
  large_file_detection: 9,
  dead_feature_flags: 15,
};

/** Every criterion of any client release. */
const criteria = [...criteriaIn(perApplication, 'application'), ...criteriaIn(perRepository, 'repository')];

/** The criteria of a client release, between 60 and 84 of them. */
export function criteriaOf(release: number): readonly Criterion[] {
  return criteria.filter(({ since, until }) => since <= release && release < until);
}

/** The version text of a client release; there is a release every two weeks. */
export function clientVersion(release: number): string {
  return `0.${56 + Math.floor(release / 3)}.${(release % 3) + (mix(release, 7) % 2)}`;
}

export type Criterion = ReturnType<typeof criteriaIn>[number];

/** `since` and `until`: the client releases, counted from 0, that know it; evaluated once per application, or for the repository. */
function criteriaIn(table: Readonly<Record<string, number>>, scope: 'application' | 'repository') {
  return Object.entries(table).map(([id, since]) => {
    return { id, seed: textSeed(id), scope, since, until: retired[id] ?? Number.POSITIVE_INFINITY };
  });
}
