import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import software.amazon.event.ruler.Machine;

/**
 * Standard input: [{"pattern": "...", "events": ["...", ...]}, ...], patterns and events as texts of JSON. Standard output: for each
 * pattern a list with true or false for each of its events, or the problem of an invalid pattern.
 */
class Matches {
  private static final ObjectMapper JSON = new ObjectMapper();

  public static void main(String[] args) throws Exception {
    ArrayNode answer = JSON.createArrayNode();
    for (JsonNode question : JSON.readTree(System.in)) {
      Machine machine = Machine.builder().build();
      try {
        machine.addRule("rule", question.get("pattern").asText());
      } catch (IOException | RuntimeException problem) {
        answer.add(String.valueOf(problem.getMessage()));
        continue;
      }
      ArrayNode row = answer.addArray();
      for (JsonNode event : question.get("events")) {
        row.add(!machine.rulesForJSONEvent(event.asText()).isEmpty());
      }
    }
    System.out.println(answer);
  }
}
