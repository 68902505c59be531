import type { WorkspaceSpec } from '../../api/specs.ts';

type Wanted = NonNullable<WorkspaceSpec['executor']['resources']>;
type Quantity = string | number;
type Quantities = Partial<Record<'cpu' | 'memory', Quantity>>;

const DEFAULTS = { requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '256Mi' } } as const;

const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/**
 * CPU and memory of an executor's container: what its Workspace says, and of what it leaves out the default. A default
 * gives way: above its limit a request is refused by the server, and the pod would never be made.
 */
export function executorResources(own: Wanted = {}): { requests: Quantities; limits: Quantities } {
  const requests: Quantities = { ...DEFAULTS.requests, ...own.requests };
  const limits: Quantities = { ...DEFAULTS.limits, ...own.limits };
  for (const name of ['cpu', 'memory'] as const) {
    const [request, limit] = [requests[name], limits[name]];
    if (request === undefined || limit === undefined || !(amountOf(request) > amountOf(limit))) continue;
    if (own.limits?.[name] === undefined) limits[name] = request;
    else if (own.requests?.[name] === undefined) requests[name] = limit;
  }
  return { requests, limits };
}

/** What a quantity amounts to; NaN for one that the server does not take either. */
function amountOf(quantity: Quantity): number {
  const [, digits, exponent, unit = ''] =
    /^([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d+)|([KMGTPE]i|[numkMGTPE]))?$/.exec(String(quantity)) ?? [];
  if (digits === undefined) return Number.NaN;
  if (exponent !== undefined) return Number(digits) * 10 ** Number(exponent);
  const factor = unit.endsWith('i') ? 1_024 ** BINARY.indexOf(unit) : 1_000 ** (DECIMAL.indexOf(unit) - 3);
  return Number(digits) * factor;
}
