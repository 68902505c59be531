import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { helm3, kubernetesTools } from '../../tools/kubectl.ts';

const run = promisify(execFile);
export const CHART = new URL('../../../charts/outrider/', import.meta.url).pathname;

/** A Kubernetes object as plain data, as far as policies look at it. */
export interface Manifest {
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: Record<string, unknown>;
  rules?: { apiGroups: string[]; resources: string[]; verbs: string[]; resourceNames?: string[] }[];
}

/**
 * Renders a chart, this one unless told otherwise, as helm would install it.
 * @param how name of the release, version of helm, folder of the chart
 * @throws with helm's words when the values are refused
 */
export async function render(
  values: Record<string, unknown>,
  how: { release?: string; major?: 3 | 4; chart?: string } = {},
): Promise<Manifest[]> {
  const { release = 'outrider', major = 4, chart = CHART } = how;
  const helm = major === 3 ? await helm3() : (await kubernetesTools()).helm;
  const sets = Object.entries(values).flatMap(([key, value]) => ['--set-json', `${key}=${JSON.stringify(value)}`]);
  const args = ['template', release, chart, '--namespace', 'team', ...sets];
  const { stdout } = await run(helm, args, { maxBuffer: 32 * 1_024 * 1_024, timeout: 30_000 });
  return parsed(stdout);
}

/** Renderings without what each draws anew, so that they can be compared. */
export function steady(manifests: readonly Manifest[]): Manifest[] {
  return manifests.filter(
    ({ kind, metadata }) => kind !== 'Secret' || !/-(database|console-claim)$/.test(metadata.name),
  );
}

/** The objects of a rendering. @throws for what Kustomize refuses too: a key that stands twice */
export function parsed(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => {
      const [error] = document.errors;
      if (error) throw new Error(error.message);
      return document.toJS() as Manifest | null;
    })
    .filter((manifest) => manifest !== null);
}

export interface Container {
  name: string;
  image: string;
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  securityContext?: Record<string, unknown>;
  livenessProbe?: object;
  readinessProbe?: object;
  env?: { name: string; value?: string; valueFrom?: object }[];
  volumeMounts?: { name: string; mountPath: string }[];
  args?: string[];
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  automountServiceAccountToken?: boolean;
  enableServiceLinks?: boolean;
  securityContext?: Record<string, unknown>;
  hostNetwork?: boolean;
  hostUsers?: boolean;
  nodeSelector?: Record<string, string>;
  volumes?: Record<string, unknown>[];
}

/** The pod that a manifest makes, with its labels. */
export function podOf(
  manifest: Manifest,
): { spec: PodSpec; labels: Record<string, string>; annotations: Record<string, string> } | undefined {
  if (manifest.kind === 'Pod') {
    const { labels = {}, annotations = {} } = manifest.metadata;
    return { spec: manifest.spec as unknown as PodSpec, labels, annotations };
  }
  interface Workload {
    template?: { spec: PodSpec; metadata: Manifest['metadata'] };
    /** Of a CronJob. */
    jobTemplate?: { spec: Workload };
  }
  const spec = manifest.spec as Workload | undefined;
  const template = (spec?.jobTemplate?.spec ?? spec)?.template;
  if (!template) return undefined;
  return {
    spec: template.spec,
    labels: template.metadata.labels ?? {},
    annotations: template.metadata.annotations ?? {},
  };
}
