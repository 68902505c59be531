import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { render } from '../integration/chart/rendered.ts';
import type { Release } from './release.ts';

interface Monitor {
  kind: string;
  spec: { selector: { matchLabels: Record<string, string> }; endpoints?: Endpoint[]; podMetricsEndpoints?: Endpoint[] };
}
interface Endpoint {
  port: string;
  relabelings: { targetLabel: string; replacement?: string }[];
}
interface Slice {
  ports: { name: string; port: number }[];
  endpoints: { targetRef?: { name: string } }[];
}
interface Pod {
  metadata: { name: string; annotations?: Record<string, string> };
  spec: { containers: { ports?: { name?: string; containerPort: number }[] }[] };
}
/** A pod's metrics port. */
interface Found {
  pod: string;
  port: number;
  workspace?: string | undefined;
}

const WITH_MONITORS = {
  'database.existingSecret': 'pg',
  'metrics.serviceMonitor.enabled': true,
  'metrics.podMonitor.enabled': true,
};

/**
 * Answers Prometheus' HTTP discovery with the pods that the chart's ServiceMonitors and PodMonitor select, reached
 * through the API server at `proxy`. Debian's Prometheus has no discovery of Kubernetes built in.
 */
export async function monitoredPods(release: Release, proxy: number): Promise<{ url: string; stop: () => void }> {
  const monitors = (await render(WITH_MONITORS)).filter(({ kind }) => /^(Service|Pod)Monitor$/.test(kind));
  const targets = async (): Promise<object[]> => {
    const found = await Promise.all((monitors as unknown as Monitor[]).map((one) => targetsOf(release, proxy, one)));
    return found.flat();
  };
  const server = createServer((_request, response) => {
    targets().then(
      (list) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list)),
      // Prometheus keeps what it knew.
      () => response.writeHead(503).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/`, stop };
}

async function targetsOf(release: Release, proxy: number, { kind, spec }: Monitor): Promise<object[]> {
  const [endpoint] = kind === 'PodMonitor' ? (spec.podMetricsEndpoints ?? []) : (spec.endpoints ?? []);
  if (!endpoint) return [];
  const selector = Object.entries(spec.selector.matchLabels).map(([name, value]) => `${name}=${value}`);
  const component = endpoint.relabelings.find(({ targetLabel }) => targetLabel === 'component')?.replacement ?? '';
  const select = kind === 'PodMonitor' ? podsOf : servedOf;
  const found = await select(release, selector.join(','), endpoint.port);
  return found.map(({ pod, port, workspace }) => ({
    targets: [`127.0.0.1:${proxy}`],
    labels: {
      __metrics_path__: `/api/v1/namespaces/${release.namespace}/pods/${pod}:${port}/proxy/metrics`,
      namespace: release.namespace,
      instance: pod,
      component,
      ...(workspace === undefined ? {} : { workspace }),
    },
  }));
}

/** Pods behind the Services with these labels, by the name of the Service's port. */
async function servedOf(release: Release, selector: string, port: string): Promise<Found[]> {
  const { items } = await release.get<{ items: Slice[] }>('endpointslices', '-l', selector);
  return items.flatMap(({ ports, endpoints }) => {
    const number = ports.find(({ name }) => name === port)?.port;
    if (number === undefined) return [];
    return endpoints.flatMap(({ targetRef }) => (targetRef ? [{ pod: targetRef.name, port: number }] : []));
  });
}

async function podsOf(release: Release, selector: string, port: string): Promise<Found[]> {
  const { items } = await release.get<{ items: Pod[] }>('pods', '-l', selector);
  return items.flatMap(({ metadata, spec }) => {
    const ports = spec.containers.flatMap((container) => container.ports ?? []);
    const number = ports.find(({ name }) => name === port)?.containerPort;
    if (number === undefined) return [];
    const workspace = metadata.annotations?.['outrider.dev/workspace'];
    return [{ pod: metadata.name, port: number, workspace }];
  });
}
