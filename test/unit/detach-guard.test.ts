import { expect } from 'chai';
import { notUninstalled } from '../../cmd/outrider/detach-guard.ts';
import type { KubeObject } from '../../pkg/kube/types.ts';

const job = (manager: string, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    name: 'outrider-detach',
    annotations,
    managedFields: [{ manager, operation: 'Update', fieldsV1: {} }, { manager: 'kube-controller-manager' }],
  },
});
const deployment = (annotations: Record<string, string>): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'outrider-operator', annotations },
});
const RELEASED = deployment({ 'meta.helm.sh/release-name': 'outrider' });

describe('the Job that detaches', () => {
  it('works when helm’s uninstall made it, by whichever program uses helm', () => {
    for (const manager of ['helm', 'helm-controller', 'terraform-provider-helm'])
      expect(notUninstalled(job(manager), RELEASED), manager).to.equal(undefined);
    expect(notUninstalled(job('helm'), undefined), 'the operator is gone').to.equal(undefined);
  });

  it('helm template | kubectl apply installs only: a Job that kubectl made does nothing', () => {
    const applied = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
    for (const made of [
      job('kubectl-client-side-apply', applied),
      job('kubectl'),
      job('kubectl-create'),
      job('x', applied),
    ])
      expect(notUninstalled(made, RELEASED)).to.equal('kubectl made the Job');
  });

  it('beside an operator that no release of helm installed it does nothing (Argo CD applies hooks of its own)', () => {
    expect(notUninstalled(job('argocd-controller'), deployment({}))).to.include('no release of helm');
    expect(notUninstalled(undefined, RELEASED)).to.include('no such Job');
  });
});
