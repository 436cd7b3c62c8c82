/** What the gateway puts on every answer, errors too. */
export const gatewayHeaders: readonly (readonly [name: string, value: string])[] = [
  ["X-Frame-Options", "SAMEORIGIN"],
  ["X-Content-Type-Options", "nosniff"],
  ["X-XSS-Protection", "1; mode=block"],
  ["Strict-Transport-Security", "max-age=31536000; includeSubDomains"],
  ["Referrer-Policy", "strict-origin-when-cross-origin"],
  ["Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=()"],
];

/** What a page may load, where an answer does not bring a narrower policy of its own. */
export const contentSecurityPolicy = (identityProviders: readonly string[]) => ({
  name: "Content-Security-Policy",
  value: ["default-src 'self'", ...identityProviders].join(" "),
});
