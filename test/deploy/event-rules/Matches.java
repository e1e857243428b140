import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import software.amazon.event.ruler.JsonRuleCompiler;
import software.amazon.event.ruler.Machine;

/**
 * Standard input: {"patterns": [...], "events": [...]}. Standard output: for each pattern a list, with true or false for each event.
 * Ends with 1 and says why when a pattern is none.
 */
class Matches {
  private static final ObjectMapper JSON = new ObjectMapper();

  public static void main(String[] args) throws Exception {
    JsonNode question = JSON.readTree(System.in);
    ArrayNode answer = JSON.createArrayNode();
    for (JsonNode pattern : question.get("patterns")) {
      Machine machine = machineOf(pattern);
      ArrayNode row = answer.addArray();
      for (JsonNode event : question.get("events")) {
        row.add(!machine.rulesForJSONEvent(event.toString()).isEmpty());
      }
    }
    System.out.println(answer);
  }

  private static Machine machineOf(JsonNode pattern) throws Exception {
    String problem = JsonRuleCompiler.check(pattern.toString());
    if (problem != null) {
      System.err.println(pattern + ": " + problem);
      System.exit(1);
    }
    Machine machine = Machine.builder().build();
    machine.addRule("rule", pattern.toString());
    return machine;
  }
}
