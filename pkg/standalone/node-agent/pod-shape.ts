import { z } from 'zod';

/** The part of a Pod that the node agent reads. */
export const podSchema = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
    deletionTimestamp: z.string().optional(),
    deletionGracePeriodSeconds: z.number().optional(),
    ownerReferences: z
      .array(
        z.object({
          apiVersion: z.string(),
          kind: z.string(),
          name: z.string(),
          uid: z.string(),
          controller: z.boolean().optional(),
        }),
      )
      .default([]),
  }),
  spec: z.object({
    terminationGracePeriodSeconds: z.number().default(30),
    containers: z
      .array(
        z.object({
          name: z.string(),
          env: z
            .array(
              z.object({
                name: z.string(),
                value: z.string().optional(),
                valueFrom: z
                  .object({
                    fieldRef: z.object({ fieldPath: z.string() }).optional(),
                    secretKeyRef: z.object({ name: z.string(), key: z.string() }).optional(),
                  })
                  .optional(),
              }),
            )
            .default([]),
        }),
      )
      .min(1),
  }),
  status: z.object({ phase: z.string().optional() }).default({}),
});
export type AgentPod = z.infer<typeof podSchema>;

/** Value of an environment variable that stands in the Pod itself. */
export function plainEnv(pod: AgentPod, name: string): string | undefined {
  return pod.spec.containers[0]?.env.find((entry) => entry.name === name)?.value;
}
