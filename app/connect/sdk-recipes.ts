import { BEARER, exporterVariables, type OtlpTarget, type Recipe } from "#app/connect/recipes.ts"

/**
 * OpenTelemetry SDKs by language. Besides the endpoint they set what the defaults get wrong here: gRPC in Python and .NET, TLS
 * in Go.
 *
 * @see https://opentelemetry.io/docs/languages/
 */
export function sdkRecipes(target: OtlpTarget, isDefault: boolean): Recipe[] {
  const optional = exporterVariables(target, isDefault)
  const always = exporterVariables(target, false)
  return [node(optional), browser(target), python(optional), go(always), java(optional), dotnet(always)]
}

const NAME = "OTEL_SERVICE_NAME=my-service \\\n"
const NO_GRPC = "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf \\\n"

function node(send: string): Recipe {
  return {
    title: "Node.js",
    steps: [
      { text: "Install", code: "npm install @opentelemetry/api @opentelemetry/auto-instrumentations-node" },
      { text: "Run", code: `${send}${NAME}node --require @opentelemetry/auto-instrumentations-node/register app.js` },
    ],
  }
}

/** A page reads no environment variables, and sends from another origin. */
function browser({ address, hasToken }: OtlpTarget): Recipe {
  const headers = hasToken ? `, headers: { authorization: "${BEARER}" }` : ""
  return {
    title: "Browser",
    steps: [
      {
        text: "Install",
        code: "npm install @opentelemetry/sdk-trace-web @opentelemetry/resources @opentelemetry/exporter-trace-otlp-http @opentelemetry/instrumentation @opentelemetry/instrumentation-document-load @opentelemetry/instrumentation-fetch",
      },
      {
        text: "Start the tracer before the rest of the page",
        code: `import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { registerInstrumentations } from "@opentelemetry/instrumentation"
import { DocumentLoadInstrumentation } from "@opentelemetry/instrumentation-document-load"
import { FetchInstrumentation } from "@opentelemetry/instrumentation-fetch"
import { resourceFromAttributes } from "@opentelemetry/resources"
import { BatchSpanProcessor, WebTracerProvider } from "@opentelemetry/sdk-trace-web"

const exporter = new OTLPTraceExporter({ url: "${address}/v1/traces"${headers} })
const provider = new WebTracerProvider({
  resource: resourceFromAttributes({ "service.name": "my-page" }),
  spanProcessors: [new BatchSpanProcessor(exporter)],
})
provider.register()
registerInstrumentations({
  instrumentations: [new DocumentLoadInstrumentation(), new FetchInstrumentation()],
})`,
      },
      {
        text: "Pages on localhost are allowed. For other origins, start Pagespan with:",
        code: "PAGESPAN_ALLOWED_ORIGINS=https://app.example",
      },
    ],
  }
}

function python(send: string): Recipe {
  const packages = "opentelemetry-distro opentelemetry-exporter-otlp-proto-http"
  return {
    title: "Python",
    steps: [
      { text: "Install", code: `pip install ${packages}\nopentelemetry-bootstrap -a install` },
      { text: "Run", code: `${send}${NAME}${NO_GRPC}opentelemetry-instrument python app.py` },
    ],
  }
}

function java(send: string): Recipe {
  return {
    title: "Java",
    steps: [
      {
        text: "Run with the agent, version 2 or later, from the opentelemetry-java-instrumentation releases",
        code: `${send}${NAME}java -javaagent:opentelemetry-javaagent.jar -jar app.jar`,
      },
    ],
  }
}

function go(send: string): Recipe {
  return {
    title: "Go",
    steps: [
      {
        text: "Install",
        code: "go get go.opentelemetry.io/otel/sdk go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp",
      },
      {
        text: "Start the tracer",
        code: `import (
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/trace"
)

exporter, err := otlptracehttp.New(ctx)
if err != nil {
	return err
}
provider := trace.NewTracerProvider(trace.WithBatcher(exporter))
defer provider.Shutdown(ctx)
otel.SetTracerProvider(provider)`,
      },
      { text: "Run", code: `${send}${NAME}go run .` },
    ],
  }
}

function dotnet(send: string): Recipe {
  return {
    title: ".NET",
    steps: [
      {
        text: "Install",
        code: `dotnet add package OpenTelemetry.Extensions.Hosting
dotnet add package OpenTelemetry.Exporter.OpenTelemetryProtocol
dotnet add package OpenTelemetry.Instrumentation.AspNetCore`,
      },
      {
        text: "Start the tracer",
        code: `builder.Services.AddOpenTelemetry()
    .WithTracing(tracing => tracing
        .AddAspNetCoreInstrumentation()
        .AddOtlpExporter());`,
      },
      { text: "Run", code: `${send}${NAME}${NO_GRPC}dotnet run` },
    ],
  }
}
