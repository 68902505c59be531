import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createKubeMetrics } from '../../../pkg/metrics/kube-metrics.ts';

/** What kubebuilder's dashboard and the alerts of controller-runtime's users ask for, with the labels they use. */
const EXPECTED: Record<string, string[]> = {
  controller_runtime_reconcile_total: ['controller', 'result'],
  controller_runtime_reconcile_errors_total: ['controller'],
  controller_runtime_terminal_reconcile_errors_total: ['controller'],
  controller_runtime_reconcile_panics_total: ['controller'],
  controller_runtime_reconcile_timeouts_total: ['controller'],
  controller_runtime_reconcile_time_seconds: ['controller'],
  controller_runtime_max_concurrent_reconciles: ['controller'],
  controller_runtime_active_workers: ['controller'],
  workqueue_depth: ['name', 'controller'],
  workqueue_adds_total: ['name', 'controller'],
  workqueue_queue_duration_seconds: ['name', 'controller'],
  workqueue_work_duration_seconds: ['name', 'controller'],
  workqueue_unfinished_work_seconds: ['name', 'controller'],
  workqueue_longest_running_processor_seconds: ['name', 'controller'],
  workqueue_retries_total: ['name', 'controller'],
  leader_election_master_status: ['name'],
  leader_election_slowpath_total: ['name'],
  rest_client_requests_total: ['code', 'method', 'host'],
  rest_client_request_duration_seconds: ['verb', 'host'],
};

describe('metrics of the operator runtime', () => {
  const registry = new Registry();
  createKubeMetrics(registry);

  it('carry the names and labels of controller-runtime and client-go', () => {
    for (const [name, labels] of Object.entries(EXPECTED)) {
      const metric = registry.getSingleMetric(name) as { labelNames?: string[] } | undefined;
      expect(metric?.labelNames, name).eql(labels);
    }
  });

  it('have a help text and a conventional name', async () => {
    for (const { name, help, type } of await registry.getMetricsAsJSON()) {
      expect(help, name).match(/^[A-Z0-9].*\.$/);
      expect(name.endsWith('_total'), name).equal(String(type) === 'counter');
    }
  });

  it('never label by url, namespace or object', async () => {
    const labels = registry
      .getMetricsAsArray()
      .flatMap((metric) => (metric as { labelNames?: string[] }).labelNames ?? []);
    expect(labels)
      .not.include.members(['url'])
      .and.not.include.members(['namespace'])
      .and.not.include.members(['object']);
  });
});
