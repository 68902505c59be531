import { UserError } from '../../base/errors.ts';
import { fieldConflicts, isTooLarge, KubeError } from '../../kube/kube-error.ts';

const UNREACHABLE =
  'The Kubernetes API cannot be reached, so what should be cannot be changed now. Everything else keeps working; try again in a moment.';

const TOO_LARGE =
  'what is to be stored is too large for the Kubernetes API (1.5 MB in all). Shorten texts, or split it.';

/**
 * The field that a definition does not know. Server-side apply answers that as a fault of the server (500), whatever field
 * validation was asked for: the definitions are older than this program.
 */
function undeclaredField({ status, message }: KubeError): string | undefined {
  return status === 500 ? /\.(\S+): field not declared in schema/.exec(message)?.[1] : undefined;
}

function definitionsOutdated(field: string): UserError {
  const text = `Not changed: the resource definitions of this cluster are older than this server and do not know "${field}". Who runs it must upgrade them first (crds/).`;
  return new UserError(text, 'DefinitionsOutdated');
}

/**
 * What a refused or failed write means to the caller of a tool: a UserError, or the error itself when it is a fault
 * of ours.
 */
export function writeError(error: unknown): unknown {
  if (!(error instanceof KubeError)) return error;
  const conflicts = fieldConflicts(error);
  if (conflicts.length > 0) return managedElsewhere(conflicts, undefined);
  if (isTooLarge(error)) return new UserError(`Invalid input: ${TOO_LARGE}`, 'InvalidInput');
  const undeclared = undeclaredField(error);
  if (undeclared !== undefined) return definitionsOutdated(undeclared);
  if (isOutage(error)) return new UserError(UNREACHABLE, 'KubernetesUnavailable');
  if (error.status === 409)
    return new UserError('The object was changed by somebody else meanwhile. Try again.', 'Conflict');
  if (error.status === 422 || error.status === 400)
    return new UserError(`Invalid input: ${invalidText(error)}`, 'InvalidInput');
  if (error.status === 403)
    return new UserError(`The Kubernetes API refuses this write: ${error.message}`, 'Forbidden');
  return error;
}

/** No answer, an overloaded or failing server, or credentials that it does not take at the moment. */
export function isOutage(error: KubeError): boolean {
  if (isTooLarge(error) || undeclaredField(error) !== undefined) return false;
  return error.status === 0 || error.status === 401 || error.status === 429 || error.status >= 500;
}

/** Whether the API server certainly did not store the write, so that the same call may be made with other input. */
export function isRefusal(error: unknown): boolean {
  return error instanceof KubeError && !isOutage(error);
}

/** An object as a refusal names it. */
interface Named {
  kind: string;
  namespace: string;
  name: string;
}

/** A field that another manager owns is changed where that manager lives (GitOps repository, manifest), or handed over. */
export function managedElsewhere(
  conflicts: readonly { manager: string; field: string }[],
  about: Named | undefined,
): UserError {
  const fields = conflicts.map(({ manager, field }) => `"${field.replace(/^\./, '')}" is managed by "${manager}"`);
  const object = about
    ? `${about.kind} "${about.name}" in namespace "${about.namespace}" is not changed`
    : 'Not changed';
  const way = about ? `: ${releaseCommand(about, conflicts)}` : ' with outrider release-field';
  const text = `${object}: ${fields.join(', ')}. Change it where that manager takes it from; or take it out there, and hand it over${way}`;
  return new UserError(text, 'FieldManagedElsewhere');
}

function releaseCommand({ kind, name, namespace }: Named, conflicts: readonly { field: string }[]): string {
  const paths = conflicts.map(({ field }) => field.replace(/^\./, ''));
  return `outrider release-field ${kind.toLowerCase()} ${name} ${paths.join(' ')} --namespace ${namespace}`;
}

function invalidText(error: KubeError): string {
  // `<nil>`: the server says that it stopped looking.
  const causes = error.causes.filter(({ field, message }) => (field || message) && field !== '<nil>').slice(0, 5);
  if (causes.length === 0) return error.message;
  return causes.map((cause) => `${cause.field.replace(/^spec\./, '')}: ${cause.message}`).join('; ');
}
