import type { KubeClient } from '../kube/client.ts';
import type { KubeRuntime } from '../kube/runtime.ts';
import type { KubeApi } from './kubeapi/kube-api.ts';

/** How the parts reach the Kubernetes API. */
export interface KubeAccess {
  admin: string;
  operator: string;
  mcp: string;
  client: KubeClient;
  runtime: KubeRuntime;
  api: KubeApi | undefined;
}
