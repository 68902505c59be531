import type { ContainerState } from './pod-process.ts';

/** Status of a Pod as a kubelet would report it, from the state of its one process. */
export function podStatus(container: string, state: ContainerState, now: number): object {
  const at = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
  const ready = state.kind === 'running';
  const condition = (type: string): object => ({ type, status: ready ? 'True' : 'False', lastTransitionTime: at });
  return {
    phase: state.kind === 'terminated' ? (state.exitCode === 0 ? 'Succeeded' : 'Failed') : 'Running',
    hostIP: '127.0.0.1',
    podIP: '127.0.0.1',
    conditions: [
      { type: 'PodScheduled', status: 'True', lastTransitionTime: at },
      condition('ContainersReady'),
      condition('Ready'),
    ],
    containerStatuses: [
      {
        name: container,
        image: 'cmd/executor',
        imageID: '',
        ready,
        started: ready,
        restartCount: state.restarts,
        state: containerState(state),
        ...(state.kind === 'backoff' ? { lastState: { terminated: terminated(state) } } : {}),
      },
    ],
  };
}

/** Status of a Pod that the agent does not run. */
export function refusedStatus(message: string): object {
  return {
    phase: 'Failed',
    reason: 'UnsupportedByNodeAgent',
    message: `This node agent runs executors of Workspaces only: ${message}.`,
  };
}

function containerState(state: ContainerState): object {
  switch (state.kind) {
    case 'running':
      return { running: { startedAt: new Date(state.startedAt).toISOString().replace(/\.\d+Z$/, 'Z') } };
    case 'backoff':
      return { waiting: { reason: 'CrashLoopBackOff', message: `last exit ${state.signal ?? state.exitCode}` } };
    case 'terminated':
      return { terminated: terminated(state) };
  }
}

function terminated(state: { exitCode: number; signal: string | null }): object {
  return {
    exitCode: state.exitCode,
    reason: state.exitCode === 0 ? 'Completed' : 'Error',
    ...(state.signal ? { message: `ended by ${state.signal}` } : {}),
  };
}
