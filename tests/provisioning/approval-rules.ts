import type { Person } from "../house.ts";

/* Approval rules as the tests need them. */

export const path = "/api/approvals/rules";
export const leaf = { field: "resourceType", operator: "eq", value: "VM" };
/** A tenant without a user, for which no other test makes rules. */
export const newTenant = () => `tenant-${crypto.randomUUID()}`;

const oddText = `Größe "XL" <b>&amp;</b> 'n' 100 % \\ / 日本語 👩‍🚀 e\u0301 \u202e`;
/** A condition with all there can be. */
export const condition = {
  any: [
    { all: [leaf, { field: "specification.vcpu", operator: "gte", value: 16.5 }] },
    { not: { all: [{ field: `metadata.${oddText}`, operator: "nin", value: [oddText, 0, -1e-7, true] }] } },
    { all: [] },
  ],
  approval: { minApprovals: 5, expiresInHours: 0.25, onExpiry: "APPROVE" },
};
/** A value for each field, other than its default. */
export const full = {
  ...{ name: oddText, description: `${oddText}\r\n\t`, condition },
  ...{ tenantId: `tenant ${oddText}`, priority: 1000 },
};

/** What a person does with rules. A rule is for a tenant of its own unless the body says otherwise. */
export const rulesOf = (person: Person) => {
  const create = (more: object = {}, headers: Record<string, string> = {}) =>
    person.call("POST", path, { name: "Machines", condition: leaf, tenantId: newTenant(), ...more }, headers);
  return {
    create,
    patch: (id: string, body: object, headers: Record<string, string> = {}) =>
      person.call("PATCH", `${path}/${id}`, body, headers),
    remove: (id: string, headers: Record<string, string> = {}) =>
      person.call("DELETE", `${path}/${id}`, undefined, headers),
    /** A new rule; throws when it is refused. */
    async make(more: object = {}): Promise<any> {
      const { status, body, data } = await create(more);
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
      return data;
    },
    /** One of the latest hundred rules. */
    find: async (id: string) =>
      (await person.call("GET", `${path}?limit=100`)).data.find((rule: any) => rule.id === id),
  };
};
export type Rules = ReturnType<typeof rulesOf>;
