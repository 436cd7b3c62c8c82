/** The Swagger page. */
export const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Landfall API</title>
<link rel="stylesheet" href="/api/docs/assets/swagger-ui.css">
<link rel="icon" href="/api/docs/assets/favicon-32x32.png">
</head>
<body>
<div id="page"></div>
<script src="/api/docs/assets/swagger-ui-bundle.js"></script>
<script type="module" src="/api/docs/assets/start.js"></script>
</body>
</html>`;

/**
 * Starts it. The page would send the example of every parameter; what may be left out is left to the reader. It takes
 * NDJSON for JSON and would write an example of it as one JSON text.
 */
export const start = `const document = await (await fetch("/api/docs/json")).json();
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
const parameters = operations.flatMap((operation) => operation.parameters);
for (const parameter of [...parameters, ...Object.values(document.components.parameters)]) {
  if (!parameter.required) delete parameter.example;
}
const asItIs = ({ fn: { getJsonSampleSchema: sample } }) => ({
  fn: {
    getJsonSampleSchema: (schema, config, type, example) =>
      type === "application/x-ndjson" ? example : sample(schema, config, type, example),
  },
});
SwaggerUIBundle({
  spec: document,
  dom_id: "#page",
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  docExpansion: "list",
  plugins: [asItIs],
});`;

/** What Swagger UI needs beside the gateway's own policy. */
export const pagePolicy = "; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'self'";
